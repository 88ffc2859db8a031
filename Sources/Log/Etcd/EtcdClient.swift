internal import ChronicleValues
internal import Curl
internal import Synchronization

/// A client of etcd's JSON gateway, which every member of a cluster has.
///
/// A call goes to the member that answered last. After a failure that other members may not have, the next call goes to the next member. The
/// client repeats a call only if its token was refused.
public final class EtcdClient: Sendable {
    private struct State {
        var endpoint = 0
        var token: String?
        /// The id of the trusted cluster; `nil`: unknown.
        var cluster: String?
    }

    let options: EtcdOptions
    let http = HTTPClient()
    private let state = Mutex(State())

    /// Maximum silence of a watch: members are configured to report progress every two seconds.
    static let silenceMax = Duration.seconds(10)
    /// Time for the transfer of a call beyond the maximum silence: large ones take long on slow lines.
    static let transferTimeMax = Duration.seconds(30)

    /// Creates a client; it connects with the first call.
    public init(_ options: EtcdOptions) throws(EtcdError) {
        if options.isEncrypted { try options.certificates.check() }
        self.options = options
    }

    public var memberCount: Int { options.endpoints.count }

    /// Makes a call and blocks the calling thread until it is answered; not on an event loop.
    @available(*, noasync, message: "it blocks the thread")
    public func wait<Answer>(for call: EtcdCall<Answer>) throws(EtcdError) -> Answer {
        var exchange = EtcdExchange(of: call, with: self)
        while true {
            let answer: Result<HTTPAnswer, HTTPError>
            do throws(HTTPError) { answer = .success(try exchange.send().wait()) } catch { answer = .failure(error) }
            if let answer = try exchange.receive(answer) { return answer }
        }
    }

    /// Makes a call and suspends until it is answered.
    public func answer<Answer>(to call: EtcdCall<Answer>) async throws(EtcdError) -> Answer {
        var exchange = EtcdExchange(of: call, with: self)
        while true {
            let answer: Result<HTTPAnswer, HTTPError>
            do throws(HTTPError) { answer = .success(try await exchange.send().answer()) } catch { answer = .failure(error) }
            if let answer = try exchange.receive(answer) { return answer }
        }
    }

    /// Fails the calls in progress and all later ones.
    public func stop() { http.stop() }

    var endpoint: Int { state.withLock { $0.endpoint } }

    private func root(of endpoint: Int) -> String {
        "\(options.isEncrypted ? "https" : "http")://\(options.endpoints[endpoint])"
    }

    private var headers: [(name: String, value: String)] {
        var headers = [
            // A member without a leader then refuses the request at once. Otherwise it lets the request wait.
            (name: "Grpc-Metadata-hasleader", value: "true"), ("Content-Type", "application/json"),
            // Without it the member takes the request for one of its own gateway, with the rights of the gateway's certificate.
            ("Accept", "application/json"),
        ]
        if let token = state.withLock({ $0.token }) { headers.append(("Authorization", token)) }
        return headers
    }

    /// Directs the next call to the next member, unless another call has done so.
    func turnAway(from endpoint: Int) {
        state.withLock { state in
            if state.endpoint == endpoint { state.endpoint = (endpoint + 1) % memberCount }
        }
    }

    /// Directs the next call to the next member, because this one lacks the data of the others.
    public func passOver() { turnAway(from: endpoint) }

    /// From now on, accepts answers from the members of one cluster only.
    public func trust(_ cluster: String) { state.withLock { $0.cluster = cluster } }

    /// Trusts the cluster that more than half of the endpoints belong to, after asking all; blocks the thread.
    ///
    /// - Returns: `false` if the endpoints belong to several clusters and none of these has the majority.
    public func trustMajority() -> Bool {
        // All are asked at once, so that the timeouts of silent ones do not add up.
        let calls = options.endpoints.indices.map { try? send(.databaseBytesInUse, to: $0) }
        let clusters = calls.map { call in (try? call?.wait()).flatMap { EtcdReply($0).cluster } }
        let known = clusters.compactMap(\.self)
        guard let majority = known.first(where: { cluster in 2 * known.count { $0 == cluster } > memberCount }) else {
            return Set(known).count <= 1
        }
        state.withLock { state in
            state.cluster = majority
            if clusters[state.endpoint] != majority { state.endpoint = clusters.firstIndex(of: majority) ?? state.endpoint }
        }
        return true
    }

    func check(_ cluster: String?, _ endpoint: Int) throws(EtcdError) {
        guard let cluster, let known = state.withLock({ $0.cluster }), known != cluster else { return }
        throw .foreign("\(root(of: endpoint)) is a member of another cluster")
    }

    /// The call for the first token; `nil`: none is needed.
    var neededToken: EtcdCall<String>? {
        guard let user = options.user, state.withLock({ $0.token == nil }) else { return nil }
        return .authenticate(user)
    }

    /// The call for a new token: tokens expire, and may be lost with a member.
    fileprivate func nextToken(after error: EtcdError) -> EtcdCall<String>? {
        guard let user = options.user else { return nil }
        switch error {
        case .refused(.expired, _), .refused(.denied, _): break
        case .away, .untrusted, .foreign, .doubt, .refused, .unreadable: return nil
        }
        // A member whose certificate names a user refuses an unknown token also in a request for a new one.
        state.withLock { $0.token = nil }
        return .authenticate(user)
    }

    func use(_ token: String) { state.withLock { $0.token = token } }

    fileprivate func send(_ call: EtcdCall<some Sendable>, to endpoint: Int) throws(HTTPError) -> HTTPCall {
        let timeouts = HTTPTimeouts(
            connect: options.connectionTimeMax, silence: options.requestTimeMax,
            total: options.requestTimeMax + Self.transferTimeMax)
        return try http.call(request(call.path, call.body, to: endpoint, timeouts, upTo: call.bytesMax))
    }

    func request(
        _ path: String, _ body: [UInt8], to endpoint: Int, _ timeouts: HTTPTimeouts, upTo bytesMax: Int
    ) -> HTTPRequest {
        var request = HTTPRequest(
            .post, "\(root(of: endpoint))/v3/\(path)", headers: headers, body: body, timeouts: timeouts, bodyBytesMax: bytesMax)
        request.certificates = options.certificates.files
        return request
    }

    fileprivate func read<Answer>(
        _ answer: Result<HTTPAnswer, HTTPError>, _ call: EtcdCall<Answer>, _ endpoint: Int
    ) throws(EtcdError) -> Answer {
        let reply: EtcdReply
        do throws(HTTPError) { reply = EtcdReply(try answer.get()) } catch { throw failure(error, at: endpoint) }
        do throws(EtcdError) {
            try check(reply.cluster, endpoint)
            let answer = try reply.answer(to: call)
            guard reply.cluster != nil || state.withLock({ $0.cluster == nil }) else {
                throw EtcdError.unreadable("\(call.path): the id of the cluster is missing")
            }
            return answer
        } catch {
            // Another member may accept the call.
            if !error.isOfAllMembers { turnAway(from: endpoint) }
            throw error
        }
    }

    func failure(_ error: HTTPError, at endpoint: Int) -> EtcdError {
        turnAway(from: endpoint)
        // A member does not answer if the token names a revision that it has not reached yet.
        if error == HTTPError(.timeout, mayHaveBeenSent: true) { state.withLock { $0.token = nil } }
        return EtcdError(during: error, at: root(of: endpoint))
    }
}

/// The requests of one call to one member: a token if one is missing, the call, and both again if the token is refused.
private struct EtcdExchange<Answer: Sendable> {
    private let client: EtcdClient
    private let call: EtcdCall<Answer>
    private let endpoint: Int
    private var token: EtcdCall<String>?
    private var isRepeated = false

    init(of call: EtcdCall<Answer>, with client: EtcdClient) {
        (self.call, self.client) = (call, client)
        (endpoint, token) = (client.endpoint, client.neededToken)
    }

    func send() throws(HTTPError) -> HTTPCall {
        if let token { try client.send(token, to: endpoint) } else { try client.send(call, to: endpoint) }
    }

    /// Takes the answer to the last request; `nil`: there is another request to send.
    mutating func receive(_ answer: Result<HTTPAnswer, HTTPError>) throws(EtcdError) -> Answer? {
        if let token {
            do throws(EtcdError) { client.use(try client.read(answer, token, endpoint)) } catch { throw error.beforehand }
            self.token = nil
            return nil
        }
        do throws(EtcdError) { return try client.read(answer, call, endpoint) } catch {
            guard !isRepeated, let token = client.nextToken(after: error) else { throw error }
            (self.token, isRepeated) = (token, true)
            return nil
        }
    }
}

extension EtcdClient {
    /// Detects members that use TLS while the settings do not, or vice versa; `nil` if no responding member does.
    ///
    /// Such a member just closes the connection, like a dying one. So each member is tried in the other way.
    @available(*, noasync, message: "it blocks the thread")
    public func mistakenAddress() -> EtcdError? {
        let (own, other) = options.isEncrypted ? ("https", "http") : ("http", "https")
        for endpoint in options.endpoints where speaks(other, at: endpoint) {
            let words =
                options.isEncrypted
                ? "it does not use TLS: write etcd:// instead of https://"
                : "it uses TLS: write https:// instead of etcd://"
            return .untrusted(.address, "\(own)://\(endpoint): \(words)")
        }
        return nil
    }

    @available(*, noasync, message: "it blocks the thread")
    private func speaks(_ scheme: String, at endpoint: String) -> Bool {
        var request = HTTPRequest(
            .get, "\(scheme)://\(endpoint)/health",
            timeouts: HTTPTimeouts(connect: options.connectionTimeMax, total: options.requestTimeMax), bodyBytesMax: 1 << 16)
        // The request has no secrets, so the server need not be trusted.
        request.certificates.verifiesServer = false
        do throws(HTTPError) {
            _ = try http.call(request).wait()
            return true
        } catch {
            // A member that requires a certificate speaks TLS as well. It closes the connection after the handshake.
            guard scheme == "https" else { return false }
            return error.reason == .certificateRefused || (error.mayHaveBeenSent && error.reason != .timeout)
        }
    }

    /// Watches a key until `isEnough` returns true; throws if the member ends the watch before or is silent for too long.
    ///
    /// Events may be late or repeated. Read the key after an event instead of relying on it.
    public func watch(_ key: [UInt8], until isEnough: (EtcdEvent) -> Bool) async throws(EtcdError) {
        let endpoint = endpoint
        if neededToken != nil { _ = try await answer(to: .range(EtcdRange(key))) }
        let creation = Value.record([
            .init("key", .bytes(key)), .init("fragment", .bool(true)), .init("progress_notify", .bool(true)),
        ])
        let timeouts = HTTPTimeouts(connect: options.connectionTimeMax, silence: Self.silenceMax)
        let request = request(
            "watch", Value.record([.init("create_request", creation)]).jsonBytes, to: endpoint, timeouts, upTo: .max)
        let response: HTTPResponse
        do throws(HTTPError) { response = try await http.response(to: request) } catch { throw failure(error, at: endpoint) }
        var line: [UInt8] = []
        while let piece = try await piece(of: response, endpoint) {
            var rest = piece[...]
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                line += rest[..<end]
                rest = rest[(end + 1)...]
                for event in try events(line, endpoint) where isEnough(event) { return }
                line = []
            }
            line += rest
            guard line.count <= Self.eventBytesMax else {
                turnAway(from: endpoint)
                throw .unreadable("watch")
            }
        }
        turnAway(from: endpoint)
        throw .doubt("the watch has ended")
    }

    private func piece(of response: HTTPResponse, _ endpoint: Int) async throws(EtcdError) -> [UInt8]? {
        do throws(HTTPError) { return try await response.piece() } catch { throw failure(error, at: endpoint) }
    }

    private func events(_ line: [UInt8], _ endpoint: Int) throws(EtcdError) -> [EtcdEvent] {
        do throws(EtcdError) {
            let value = try? Value(parsing: line, limits: .ofMembers)
            try check(value?.cluster, endpoint)
            return try Self.events(value)
        } catch {
            turnAway(from: endpoint)
            throw error
        }
    }

    static let eventBytesMax = 16 << 20

    /// Decodes the events in a message; a refused or cancelled watch also has the HTTP status 200.
    static func events(_ message: Value?) throws(EtcdError) -> [EtcdEvent] {
        guard let value = message else { throw .unreadable("watch") }
        guard let result = value["result"] else {
            let message = value["error"]?["message"]?.text ?? value["error"]?.text ?? "the watch was refused"
            throw .doubt(message.asLine)
        }
        guard result["canceled"]?.bool != true else {
            throw .doubt((result["cancel_reason"]?.text ?? "the watch was cancelled").asLine)
        }
        var events: [EtcdEvent] = result["created"]?.bool == true ? [.begun] : []
        // PUT is the omitted default type. Deletions and progress notifications are no events.
        events += (result["events"]?.list ?? []).filter { $0["type"] == nil }.compactMap { $0["kv"]?.entry.map(EtcdEvent.put) }
        return events
    }
}

public enum EtcdEvent: Sendable, Equatable {
    /// The watch has begun. Earlier changes are not reported.
    case begun
    case put(EtcdEntry)
}
