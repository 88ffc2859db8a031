import Chronicle
import Curl
import Synchronization

/// The process's HTTP client; it allocates nothing before the first call.
///
/// Each call has a timeout, a size limit and a limit of redirects, accepts no compression, and is cancelled with its
/// task. Only the first request may go to any network: redirects may reach the internet and the zone of the first
/// response. Failures are sentences that name the host but never the rest of an address.
public final class WebClient: Sendable {
    public static let secondsDefault = 20
    public static let bodyBytesDefault = 4 << 20
    static let redirectsMax = 5

    let timeMax: Duration
    let bodyBytesMax: Int
    let bodyBytesSetting: String?
    private let http = HTTPClient()
    private let zones = Mutex<[String: NetworkZone]>([:])

    private static let connectTimeMax = Duration.seconds(5)
    private static let redirections: Set<Int> = [301, 302, 303, 307, 308]

    /// - Parameters:
    ///   - timeMax: maximum duration of a call, including redirects.
    ///   - bodyBytesSetting: the setting of `bodyBytesMax`, for the failure of a larger body; `nil` if it has none.
    public init(
        timeMax: Duration = .seconds(secondsDefault), bodyBytesMax: Int = bodyBytesDefault, bodyBytesSetting: String? = nil
    ) {
        self.timeMax = timeMax
        self.bodyBytesMax = bodyBytesMax
        self.bodyBytesSetting = bodyBytesSetting
    }

    /// Makes a call, follows redirects, and passes the response to a closure.
    ///
    /// - Throws: errors of the closure, or a failure with a remedy.
    func call<Value>(
        _ request: WebRequest, _ read: (WebAnswer) async throws(CommandFailure) -> Value
    ) async throws(CommandFailure) -> Value {
        let end = ContinuousClock.now + timeMax
        var address = request.address
        // Only the first request was configured by a person. The server chooses the others.
        let isConfigured = address.isSameOrigin(as: request.configured)
        var home = isConfigured ? nil : zones.withLock { $0[request.configured.host] }
        for hop in 0...Self.redirectsMax {
            let answer = try await send(request, to: address, within: end - .now) { [home] zone in
                isConfigured && hop == 0 || zone == .open || zone == home
            }
            if isConfigured, hop == 0 {
                home = answer.zone
                zones.withLock { $0[request.configured.host] = answer.zone }
            }
            guard Self.redirections.contains(answer.status), request.method == .get else { return try await read(answer) }
            guard let next = answer.header("location").flatMap({ address.resolving($0) }),
                next.isEncrypted || !address.isEncrypted
            else {
                throw CommandFailure(
                    "\(address.host) redirects to no address that is followed. Look at \(request.setting).", isPermanent: true)
            }
            address = next
        }
        throw CommandFailure(
            "\(request.address.host) redirects more than \(Self.redirectsMax) times. Look at \(request.setting).",
            isPermanent: true)
    }

    private func send(
        _ request: WebRequest, to address: WebAddress, within time: Duration,
        permits: @escaping @Sendable (NetworkZone) -> Bool
    ) async throws(CommandFailure) -> WebAnswer {
        var message = HTTPRequest(
            request.method, address.text, headers: [("user-agent", "todod")] + request.headers,
            timeouts: HTTPTimeouts(connect: Self.connectTimeMax, total: time),
            bodyBytesMax: min(bodyBytesMax, request.bodyBytesMax))
        if let token = request.token, address.isSameOrigin(as: request.address) {
            guard address.keepsSecrets else {
                throw CommandFailure(
                    "A token is not sent to \(address.host) without encryption. Set \(request.setting) to an https address.",
                    isPermanent: true)
            }
            token.lend { message.headers.append(("authorization", "Bearer \($0)")) }
        }
        message.permits = { permits(NetworkZone(of: $0)) }
        let response: HTTPResponse
        do throws(HTTPError) { response = try await http.response(to: message) } catch {
            throw CommandFailure(error, of: request, to: address, within: timeMax)
        }
        return try WebAnswer(response, to: request, from: address, by: self)
    }
}

struct WebRequest: Sendable {
    var method = HTTPRequest.Method.get
    var address: WebAddress
    /// The configured address that led to this one.
    ///
    /// It decides which networks the call may reach, see ``WebClient``.
    var configured: WebAddress
    var headers: [(name: String, value: String)] = []
    /// Sent only to the origin of `address`, never to a redirect target.
    var token: Token?
    var setting: String
    var bodyBytesMax = Int.max

    init(_ address: WebAddress, setting: String) {
        self.address = address
        configured = address
        self.setting = setting
    }
}
