import Curl
import Glibc
import Reducing

extension CommandFailure {
    /// Why no answer came.
    init(duringCallOf address: WebAddress, _ error: any Error, setting: String) {
        self.init("\(address.host) can't be reached: \(Self.words(for: error)). Look at \(setting) and the network.")
    }

    /// Why an address is not called.
    init(forbidden address: WebAddress, setting: String) {
        self.init(
            "\(address.host) lies on this machine or in a network of its own, and only an address that lies there may lead there. "
                + "If it is to be called, set \(setting) to it.",
            isPermanent: true)
    }

    /// Why an answer broke off.
    init(duringBodyOf address: WebAddress, _ error: any Error) {
        self.init("The answer of \(address.host) broke off: \(Self.words(for: error)). Try again later.")
    }

    /// What an answer that is no success means.
    ///
    /// - Parameter isPermanent: Whether asking again would get the same; nil: as usual for the status.
    init(_ answer: WebAnswer, setting: String) {
        let host = answer.address.host
        let wait = answer.wait
        switch answer.status {
        case 401, 403:
            self.init("\(host) refuses access (\(answer.status)). Look at \(setting).", isPermanent: true)
        case 404, 410:
            self.init("\(host) has nothing at this address (\(answer.status)). Look at \(setting).", isPermanent: true)
        case 408, 425, 429, 500...599:
            self.init("\(host) can't answer now (\(answer.status)). Try again later.", retryAfter: wait)
        default:
            self.init("\(host) answered with status \(answer.status). Look at \(setting).", isPermanent: true)
        }
    }

    // The messages of curl may contain anything that was sent.
    private static func words(for error: any Error) -> String {
        switch (error as? HTTPError)?.reason {
        case .unknownHost: "its name is unknown"
        case .unreachable(let code) where code != 0: String(cString: strerror(code)).lowercased()
        case .unreachable: "the connection failed"
        case .connectTimeout, .timeout: "it took too long"
        case .closed: "it closed the connection"
        case .untrustedServer, .wrongServerName, .unusableAuthorities, .unusableCertificate, .certificateRefused, .tls:
            "no encrypted connection that can be trusted comes about"
        case .cancelled, .stopped: "the call was cancelled"
        case .missingLibrary: "libcurl is not installed"
        case .notHTTP, .bodyTooLarge, .other: "what it sent is not HTTP"
        case nil: error is Hosts.UnknownHost ? "its name is unknown" : "the call was cancelled"
        }
    }
}

extension WebAnswer {
    /// The longest wait that a server is granted; whoever wants to be left alone for longer has refused.
    static let waitMax = Duration.seconds(86400)

    /// How long the server wants to be left alone; nil when it does not say.
    ///
    /// `Retry-After` counts seconds or names a time; GitHub's `X-RateLimit-Reset` names a second since 1970. Times are taken
    /// relative to the answer's own `Date`, so that two clocks need not agree.
    var wait: Duration? {
        if let after = header("retry-after") {
            if let seconds = Int64(after), seconds >= 0 { return min(.seconds(seconds), Self.waitMax) }
            return FeedDate.microseconds(ofMail: after).flatMap { waiting(until: $0) }
        }
        guard header("x-ratelimit-remaining") == "0", let reset = header("x-ratelimit-reset").flatMap({ Int64($0) }),
            reset >= 0, reset < 1 << 40
        else { return nil }
        return waiting(until: reset * 1_000_000)
    }

    private func waiting(until time: Int64) -> Duration? {
        guard let now = header("date").flatMap({ FeedDate.microseconds(ofMail: $0) }) else { return nil }
        // The second that is named has to be over.
        return min(max(.microseconds(time - now), .zero) + .seconds(1), Self.waitMax)
    }
}
