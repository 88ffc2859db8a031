import Chronicle
import Curl

extension CommandFailure {
    /// The failure for a call without a complete response.
    ///
    /// - Parameter hasBegun: whether the response headers have arrived.
    init(
        _ error: HTTPError, of request: WebRequest, to address: WebAddress, within timeMax: Duration, hasBegun: Bool = false
    ) {
        let (host, setting) = (address.host, request.setting)
        switch error.reason {
        case .forbidden: self.init(forbidden: address, setting: setting)
        case .cancelled, .stopped: self.init("The call to \(host) was cancelled.")
        case .timeout:
            self.init(
                "\(host) did not answer within \(timeMax.components.seconds) s. Try again later, or look at \(setting).")
        case _ where hasBegun: self.init("The answer of \(host) broke off: \(error.reason.words). Try again later.")
        default:
            self.init("\(host) can't be reached: \(error.reason.words). Look at \(setting) and the network.")
        }
    }

    private init(forbidden address: WebAddress, setting: String) {
        self.init(
            "\(address.host) lies on this machine or in a network of its own, and only an address that lies there may lead there. "
                + "If it is to be called, set \(setting) to it.",
            isPermanent: true)
    }

    init(_ answer: WebAnswer, setting: String) {
        let host = answer.address.host
        switch answer.status {
        case 401, 403:
            self.init("\(host) refuses access (\(answer.status)). Look at \(setting).", isPermanent: true)
        case 404, 410:
            self.init("\(host) has nothing at this address (\(answer.status)). Look at \(setting).", isPermanent: true)
        case 408, 425, 429, 500...599:
            self.init("\(host) can't answer now (\(answer.status)). Try again later.", retryAfter: answer.wait)
        default:
            self.init("\(host) answered with status \(answer.status). Look at \(setting).", isPermanent: true)
        }
    }
}

extension WebAnswer {
    static let waitMax = Duration.seconds(86400)

    /// The wait that the server asks for.
    ///
    /// `Retry-After` is a number of seconds or a time. GitHub's `X-RateLimit-Reset` is a second since 1970. Times are
    /// relative to the response's own `Date`, so the clocks don't have to agree.
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
        // Wait until the named second has passed.
        return min(max(.microseconds(time - now), .zero) + .seconds(1), Self.waitMax)
    }
}
