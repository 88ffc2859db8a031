import Curl
import Reducing
import Synchronization

/// The process's one client of the web; it costs nothing until the first call.
///
/// Every call has a limit of time, of size and of redirections, asks for nothing compressed, and stops when its task is
/// cancelled. An address that somebody else names is called only on the open internet, unless the configured one lies where it does.
/// Failures are sentences for people; they name the host and never the rest of an address.
public final class WebClient: Sendable {
    /// What every call may cost.
    public let limits: WebLimits
    private let clock: any Clock<Duration>
    private let hosts: Hosts
    private let http = HTTPClient()
    /// Where the configured hosts lay when they were first looked up: nobody who answers for a name can move it later.
    private let homes = Mutex<[String: Set<NetworkZone>]>([:])

    /// How many addresses of one host are tried.
    static let addressesMax = 4

    private static let connectTimeMax = Duration.seconds(5)
    private static let redirections: Set<Int> = [301, 302, 303, 307, 308]

    /// Makes a client that nothing is open for yet.
    ///
    /// - Parameters:
    ///   - limits: What every call may cost.
    ///   - clock: Measures the limit of time.
    public convenience init(limits: WebLimits = WebLimits(), clock: any Clock<Duration> = ContinuousClock()) {
        self.init(limits: limits, clock: clock, hosts: .system)
    }

    init(limits: WebLimits, clock: any Clock<Duration>, hosts: Hosts) {
        self.limits = limits
        self.clock = clock
        self.hosts = hosts
    }

    /// Ends running calls with an error, and refuses later ones.
    public func stop() { http.stop() }

    /// Makes a call, follows its redirections, and lends the answer to a closure.
    ///
    /// - Throws: what the closure throws; else a sentence that says what happened and what to do about it.
    func call<Value: Sendable>(
        _ request: WebRequest, _ read: @escaping @Sendable (inout WebAnswer) async throws(CommandFailure) -> Value
    ) async throws(CommandFailure) -> Value {
        let outcome = await withTaskGroup(of: Result<Value, CommandFailure>?.self) { group in
            group.addTask {
                do throws(CommandFailure) {
                    return .success(try await self.follow(request, read))
                } catch {
                    return .failure(error)
                }
            }
            group.addTask {
                // Its only error says that the task was cancelled, which is looked at below.
                try? await self.clock.sleep(for: self.limits.timeMax)
                return nil
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            return first
        }
        if Task.isCancelled { throw CommandFailure("The call to \(request.address.host) was cancelled.") }
        guard let outcome else {
            let seconds = limits.timeMax.components.seconds
            throw CommandFailure(
                "\(request.address.host) did not answer within \(seconds) s. Try again later, or look at \(request.setting).")
        }
        return try outcome.get()
    }

    private func follow<Value>(
        _ request: WebRequest, _ read: (inout WebAnswer) async throws(CommandFailure) -> Value
    ) async throws(CommandFailure) -> Value {
        var address = request.address
        for _ in 0...limits.redirectsMax {
            var answer = try await send(request, to: address)
            guard Self.redirections.contains(answer.status), request.method == .get else { return try await read(&answer) }
            guard let next = answer.header("location").flatMap({ address.resolving($0) }),
                next.isEncrypted || !address.isEncrypted
            else {
                throw CommandFailure(
                    "\(address.host) redirects to no address that is followed. Look at \(request.setting).", isPermanent: true)
            }
            address = next
        }
        throw CommandFailure(
            "\(request.address.host) redirects more than \(limits.redirectsMax) times. Look at \(request.setting).",
            isPermanent: true)
    }

    private func send(_ request: WebRequest, to address: WebAddress) async throws(CommandFailure) -> WebAnswer {
        var message = HTTPRequest(
            .get, address.text, headers: [("user-agent", "todod")] + request.headers,
            timeouts: HTTPTimeouts(connect: Self.connectTimeMax), bodyBytesMax: min(limits.bodyBytesMax, request.bodyBytesMax))
        message.method = request.method
        message.keepsConnection = false
        if let token = request.token, address.isSameOrigin(as: request.address) {
            guard address.keepsSecrets else {
                throw CommandFailure(
                    "A token is not sent to \(address.host) without encryption. Set \(request.setting) to an https address.",
                    isPermanent: true)
            }
            token.lend { message.headers.append(("authorization", "Bearer \($0)")) }
        }
        let response = try await response(to: message, request, address)
        return try WebAnswer(response, to: request, from: address, limits: limits)
    }

    /// Tries the permitted addresses of a host in turn.
    ///
    /// curl connects to that address whatever the name resolves to by then.
    private func response(
        to message: HTTPRequest, _ request: WebRequest, _ address: WebAddress
    ) async throws(CommandFailure) -> HTTPResponse {
        var message = message
        do {
            let home = try await home(of: request.configured)
            let allowed = try await hosts.addresses(address.name)
                .filter { number in
                    let zone = hosts.zone(number)
                    return zone == .open || home.contains(zone)
                }
                .prefix(Self.addressesMax)
            guard !allowed.isEmpty else { throw CommandFailure(forbidden: address, setting: request.setting) }
            var last = HTTPError(.unknownHost, mayHaveBeenSent: false)
            for number in allowed {
                message.address = number
                do throws(HTTPError) { return try await http.response(to: message) } catch {
                    last = error
                    guard error.isUnreachable else { break }
                }
            }
            throw last
        } catch let failure as CommandFailure {
            throw failure
        } catch let error as HTTPError where error.reason == .stopped {
            throw CommandFailure("\(address.host) was not called: the daemon is stopping.")
        } catch {
            throw CommandFailure(duringCallOf: address, error, setting: request.setting)
        }
    }

    private func home(of configured: WebAddress) async throws -> Set<NetworkZone> {
        if let home = homes.withLock({ $0[configured.name] }) { return home }
        let found = Set(try await hosts.addresses(configured.name).map(hosts.zone))
        return homes.withLock { homes in
            if let home = homes[configured.name] { return home }
            homes[configured.name] = found
            return found
        }
    }
}

extension HTTPError {
    /// Whether another address of the host may be tried.
    fileprivate var isUnreachable: Bool {
        switch reason {
        case .unreachable, .connectTimeout: !mayHaveBeenSent
        default: false
        }
    }
}
