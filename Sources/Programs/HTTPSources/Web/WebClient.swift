import AsyncHTTPClient
import NIOCore
import NIOHTTP1
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
    private let routes = Mutex<[Route]?>([])
    /// Where the configured hosts lay when they were first looked up: nobody who answers for a name can move it later.
    private let homes = Mutex<[String: Set<NetworkZone>]>([:])

    /// How many connections to different addresses are kept for the next call.
    static let routesMax = 8
    /// How many addresses of one host are tried.
    static let addressesMax = 4

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

    /// Closes all connections; running calls fail, and so does every later one.
    public func stop() async {
        let before = routes.withLock { routes in
            defer { routes = nil }
            return routes
        }
        for route in before ?? [] { await route.stop() }
    }

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
        var message = HTTPClientRequest(url: address.text)
        message.method = HTTPMethod(rawValue: request.method.rawValue)
        message.headers.add(name: "user-agent", value: "todod")
        for header in request.headers { message.headers.add(name: header.name, value: header.value) }
        if let token = request.token, address.isSameOrigin(as: request.address) {
            guard address.keepsSecrets else {
                throw CommandFailure(
                    "A token is not sent to \(address.host) without encryption. Set \(request.setting) to an https address.",
                    isPermanent: true)
            }
            token.lend { message.headers.add(name: "authorization", value: "Bearer \($0)") }
        }
        let (response, route) = try await response(to: message, request, address)
        return try WebAnswer(response, over: route, to: request, from: address, limits: limits)
    }

    /// Tries the addresses of a host, one after the other, that may be called.
    private func response(
        to message: HTTPClientRequest, _ request: WebRequest, _ address: WebAddress
    ) async throws(CommandFailure) -> (HTTPClientResponse, Route) {
        do {
            let home = try await home(of: request.configured)
            let allowed = try await hosts.addresses(address.name)
                .filter { number in
                    let zone = hosts.zone(number)
                    return zone == .open || home.contains(zone)
                }
                .prefix(Self.addressesMax)
            guard !allowed.isEmpty else { throw CommandFailure(forbidden: address, setting: request.setting) }
            for number in allowed.dropLast() {
                do {
                    return try await execute(message, over: route(to: address, at: number))
                } catch  where Route.wasNotReached(error) {
                    continue
                }
            }
            return try await execute(message, over: route(to: address, at: allowed[allowed.endIndex - 1]))
        } catch let failure as CommandFailure {
            throw failure
        } catch {
            throw CommandFailure(duringCallOf: address, error, setting: request.setting)
        }
    }

    private func execute(_ message: HTTPClientRequest, over route: Route) async throws -> (HTTPClientResponse, Route) {
        // The limit of time is kept by the caller, over all redirections and the body.
        (try await route.client.execute(message, deadline: .distantFuture), route)
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

    private func route(to address: WebAddress, at number: String) throws(CommandFailure) -> Route {
        let route = routes.withLock { routes -> Route? in
            guard let known = routes else { return nil }
            if let route = known.first(where: { $0.name == address.name && $0.number == number }) { return route }
            let route = Route(to: address.name, at: number, hosts: hosts)
            // One that is left out ends when its last call has.
            routes = known.suffix(Self.routesMax - 1) + [route]
            return route
        }
        guard let route else { throw CommandFailure("\(address.host) was not called: the daemon is stopping.") }
        return route
    }
}
