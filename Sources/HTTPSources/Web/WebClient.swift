import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOPosix
import Reducing
import Synchronization

/// The process's one HTTP client; it costs nothing until the first call.
///
/// Every call has a limit of time, of size and of redirections, asks for nothing compressed, and stops when its task is
/// cancelled. Failures are sentences for people; they name the host and never the rest of an address.
public final class WebClient: Sendable {
    /// What every call may cost.
    public let limits: WebLimits
    private let clock: any Clock<Duration>
    private let opened = Mutex(State.unused)

    private enum State {
        case unused
        case open(HTTPClient)
        case stopped
    }

    private static let redirections: Set<Int> = [301, 302, 303, 307, 308]

    /// Makes a client that nothing is open for yet.
    ///
    /// - Parameters:
    ///   - limits: What every call may cost.
    ///   - clock: Measures the limit of time.
    public init(limits: WebLimits = WebLimits(), clock: any Clock<Duration> = ContinuousClock()) {
        self.limits = limits
        self.clock = clock
    }

    deinit {
        // The library ends a program that forgets a client; one that was not stopped ends by itself, a little later.
        if case .open(let client) = opened.withLock({ $0 }) { client.shutdown { _ in } }
    }

    /// Closes all connections; running calls fail, and so does every later one.
    public func stop() async {
        let before = opened.withLock { state in
            defer { state = .stopped }
            return state
        }
        guard case .open(let client) = before else { return }
        // It fails only when somebody else has shut it down, and nobody else has it.
        do { try await client.shutdown() } catch { return }
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
        let client = try client(for: address)
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
        let response: HTTPClientResponse
        do {
            // The limit of time is kept by the caller, over all redirections and the body.
            response = try await client.execute(message, deadline: .distantFuture)
        } catch {
            throw CommandFailure(duringCallOf: address, error, setting: request.setting)
        }
        return try WebAnswer(response, to: request, from: address, limits: limits)
    }

    private func client(for address: WebAddress) throws(CommandFailure) -> HTTPClient {
        let client = opened.withLock { state -> HTTPClient? in
            switch state {
            case .open(let client): return client
            case .stopped: return nil
            case .unused:
                let client = HTTPClient(eventLoopGroup: .singletonMultiThreadedEventLoopGroup, configuration: Self.settings)
                state = .open(client)
                return client
            }
        }
        guard let client else { throw CommandFailure("\(address.host) was not called: the daemon is stopping.") }
        return client
    }

    private static var settings: HTTPClient.Configuration {
        var settings = HTTPClient.Configuration(redirectConfiguration: .disallow, decompression: .disabled)
        settings.httpVersion = .http1Only
        settings.timeout.connect = .seconds(10)
        settings.connectionPool.idleTimeout = .seconds(15)
        settings.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 4
        // Who tries again, and when, is decided where commands are run.
        settings.connectionPool.retryConnectionEstablishment = false
        return settings
    }
}
