internal import Curl
internal import Synchronization

/// Asks the members of an etcd cluster over the JSON gateway that each of them has.
///
/// A call goes to one member, the one that answered last; after one that did not answer, or refused what others may do, the next call goes
/// to the next. Nothing is asked twice but what was turned away for want of a token.
public final class EtcdClient: Sendable {
    private struct State {
        var endpoint = 0
        var token: String?
        /// The id of the cluster that the members belong to; `nil`: it is not known.
        var cluster: String?
        /// The endpoints at which one of another cluster answered last.
        var strangers: Set<Int> = []

        /// The endpoint behind another, but for strangers while there are others.
        func next(after endpoint: Int, of count: Int) -> Int {
            let others = (1...count).map { (endpoint + $0) % count }
            return others.first { !strangers.contains($0) } ?? others[0]
        }
    }

    let options: EtcdOptions
    let http = HTTPClient()
    private let state = Mutex(State())

    /// After so much silence a watch is started again: members are told to report progress every two seconds.
    static let silenceMax = Duration.seconds(10)
    /// How much longer a call takes at most than a member may be silent: large ones go over slow lines for as long as something comes.
    static let transferTimeMax = Duration.seconds(30)

    /// Makes a client; nothing is connected before the first call.
    public init(_ options: EtcdOptions) throws(EtcdError) {
        if options.isEncrypted { try options.certificates.check() }
        self.options = options
    }

    /// How many members are known.
    public var memberCount: Int { options.endpoints.count }

    /// Where they are asked.
    public var addresses: [String] { options.endpoints }

    /// Whether the members are told who asks.
    public var hasUser: Bool { options.user != nil }

    /// Makes a call, and blocks the calling thread until it is answered; not on an event loop.
    @available(*, noasync, message: "it blocks the thread")
    public func wait<Answer>(for call: EtcdCall<Answer>) throws(EtcdError) -> Answer {
        let endpoint = endpoint
        func authenticate(_ token: EtcdCall<String>) throws(EtcdError) {
            do throws(EtcdError) { use(try reply(waitingFor: token, endpoint)) } catch { throw error.beforehand }
        }
        if let token = neededToken { try authenticate(token) }
        do throws(EtcdError) {
            return try reply(waitingFor: call, endpoint)
        } catch {
            guard let token = nextToken(after: error) else { throw error }
            try authenticate(token)
            return try reply(waitingFor: call, endpoint)
        }
    }

    /// Makes a call, and suspends until it is answered.
    ///
    /// - Parameter member: the place of a member among the endpoints; `nil`: the one that answered last.
    public func answer<Answer>(to call: EtcdCall<Answer>, of member: Int? = nil) async throws(EtcdError) -> Answer {
        let endpoint = member ?? endpoint
        func authenticate(_ token: EtcdCall<String>) async throws(EtcdError) {
            do throws(EtcdError) { use(try await reply(to: token, endpoint)) } catch { throw error.beforehand }
        }
        if let token = neededToken { try await authenticate(token) }
        do throws(EtcdError) {
            return try await reply(to: call, endpoint)
        } catch {
            guard let token = nextToken(after: error) else { throw error }
            try await authenticate(token)
            return try await reply(to: call, endpoint)
        }
    }

    /// Whether a member does what is asked by somebody who does not say who he is.
    ///
    /// It does where authentication is off, and also where it is on and the member's own certificate names a user: the gateway speaks
    /// to its member with that, and a stranger does not say what he accepts.
    ///
    /// - Parameter member: the place of the member among the endpoints.
    public func obeysStrangers(to call: EtcdCall<some Sendable>, of member: Int) async throws(EtcdError) -> Bool {
        do throws(HTTPError) {
            return try await http.call(request(for: call, Self.headers, to: member)).answer().head.status == 200
        } catch {
            throw failure(error, at: member)
        }
    }

    /// Ends what is under way with an error, and refuses later calls.
    public func stop() { http.stop() }

    /// The member that is asked.
    var endpoint: Int { state.withLock { $0.endpoint } }

    private func root(of endpoint: Int) -> String {
        "\(options.isEncrypted ? "https" : "http")://\(options.endpoints[endpoint])"
    }

    // A member that knows no leader says so at once, in place of letting the request wait.
    private static let headers = [(name: "Grpc-Metadata-hasleader", value: "true"), ("Content-Type", "application/json")]

    var headers: [(name: String, value: String)] {
        var headers = Self.headers
        // Only of who says what he accepts the gateway's member knows that he comes through it, and is not the gateway itself with the
        // rights of its certificate.
        headers.append(("Accept", "application/json"))
        if let token = state.withLock({ $0.token }) { headers.append(("Authorization", token)) }
        return headers
    }

    /// Has the next call go to the next member, unless somebody did that meanwhile.
    func turnAway(from endpoint: Int) {
        state.withLock { state in
            if state.endpoint == endpoint { state.endpoint = state.next(after: endpoint, of: options.endpoints.count) }
        }
    }

    /// Has the next call go to the next member: this one answers, and does not have what all have.
    public func passOver() { turnAway(from: endpoint) }

    /// Takes answers from the members of one cluster alone from now on.
    ///
    /// Members that were made anew may all be of another: once one did at each endpoint, and none of this one meanwhile, they are believed.
    ///
    /// - Parameters:
    ///   - cluster: its id.
    ///   - strangers: the places of endpoints that belong to another one.
    public func trust(_ cluster: String, besides strangers: Set<Int> = []) {
        state.withLock { state in
            if state.cluster != cluster { (state.cluster, state.strangers) = (cluster, []) }
            state.strangers.formUnion(strangers)
            guard strangers.contains(state.endpoint) else { return }
            state.endpoint = state.next(after: state.endpoint, of: options.endpoints.count)
        }
    }

    /// The clusters to which the endpoints belong, each `nil` that does not say it now.
    @available(*, noasync, message: "it blocks the thread")
    public func clusters() -> [String?] {
        // All at once: who is silent is waited for once.
        let asked = options.endpoints.indices.map { try? send(EtcdCall<EtcdMemberStatus>.status, to: $0) }
        return asked.map { call in (try? call?.wait()).flatMap { EtcdReply($0).cluster } }
    }

    /// Refuses an answer of another cluster, which says nothing of what is in this one.
    func check(_ cluster: String?, _ endpoint: Int) throws(EtcdError) {
        guard let cluster else { return }
        let isForeign = state.withLock { state in
            guard let known = state.cluster, known != cluster else {
                state.strangers.remove(endpoint)
                return false
            }
            state.strangers.insert(endpoint)
            if state.strangers.count >= options.endpoints.count { (state.cluster, state.strangers) = (nil, []) }
            return true
        }
        if isForeign { throw .foreign("\(root(of: endpoint)) is a member of another cluster") }
    }

    /// The call that gets the first token.
    var neededToken: EtcdCall<String>? {
        guard let user = options.user, state.withLock({ $0.token == nil }) else { return nil }
        return .authenticate(user)
    }

    /// The call that gets another token: members forget them, and some when they die.
    private func nextToken(after error: EtcdError) -> EtcdCall<String>? {
        guard let user = options.user else { return nil }
        switch error {
        case .refused(.expired, _), .refused(.denied, _): break
        case .away, .untrusted, .foreign, .doubt, .refused, .unreadable: return nil
        }
        // A member whose certificate names a user refuses whoever shows a token that it does not know, also where he asks for another.
        state.withLock { $0.token = nil }
        return .authenticate(user)
    }

    func use(_ token: String) { state.withLock { $0.token = token } }

    @available(*, noasync, message: "it blocks the thread")
    private func reply<Answer>(waitingFor call: EtcdCall<Answer>, _ endpoint: Int) throws(EtcdError) -> Answer {
        let answer: HTTPAnswer
        do throws(HTTPError) { answer = try send(call, to: endpoint).wait() } catch { throw failure(error, at: endpoint) }
        return try read(answer, call, endpoint)
    }

    private func reply<Answer>(to call: EtcdCall<Answer>, _ endpoint: Int) async throws(EtcdError) -> Answer {
        let answer: HTTPAnswer
        do throws(HTTPError) { answer = try await send(call, to: endpoint).answer() } catch {
            throw failure(error, at: endpoint)
        }
        return try read(answer, call, endpoint)
    }

    private func send(_ call: EtcdCall<some Sendable>, to endpoint: Int) throws(HTTPError) -> HTTPCall {
        try http.call(request(for: call, headers, to: endpoint))
    }

    private func request(
        for call: EtcdCall<some Sendable>, _ headers: [(name: String, value: String)], to endpoint: Int
    ) -> HTTPRequest {
        let timeouts = HTTPTimeouts(
            connect: options.connectionTimeMax, silence: call.timeMax == nil ? options.requestTimeMax : nil,
            total: call.timeMax ?? options.requestTimeMax + Self.transferTimeMax)
        return request(call.path, call.body, headers, to: endpoint, timeouts, upTo: call.bytesMax)
    }

    func request(
        _ path: String, _ body: [UInt8], _ headers: [(name: String, value: String)], to endpoint: Int, _ timeouts: HTTPTimeouts,
        upTo bytesMax: Int
    ) -> HTTPRequest {
        var request = HTTPRequest(
            .post, "\(root(of: endpoint))/v3/\(path)", headers: headers, body: body, timeouts: timeouts, bodyBytesMax: bytesMax)
        request.certificates = options.certificates.files
        return request
    }

    private func read<Answer>(
        _ answer: HTTPAnswer, _ call: EtcdCall<Answer>, _ endpoint: Int
    ) throws(EtcdError) -> Answer {
        do throws(EtcdError) {
            let reply = EtcdReply(answer)
            try check(reply.cluster, endpoint)
            let answer = try reply.answer(to: call)
            guard reply.cluster != nil || !call.hasHeader || state.withLock({ $0.cluster == nil }) else {
                throw EtcdError.unreadable("\(call.path): without the id of the cluster")
            }
            return answer
        } catch {
            // What one member can't or won't do, or says in words that nobody understands, another may.
            if !error.isOfAllMembers { turnAway(from: endpoint) }
            throw error
        }
    }

    func failure(_ error: HTTPError, at endpoint: Int) -> EtcdError {
        turnAway(from: endpoint)
        // Of a token that others gave, and that names a revision ahead of its own, a member says nothing until it comes to that.
        if error == HTTPError(.timeout, mayHaveBeenSent: true) { state.withLock { $0.token = nil } }
        return EtcdError(during: error, at: root(of: endpoint))
    }
}

extension EtcdClient {
    /// That a member is asked without TLS and speaks it, or the other way round, as an error that says so; `nil`: none, as far as anybody
    /// answers.
    ///
    /// Such a member closes a connection without a word, as one does that dies; so it is asked in the other way.
    @available(*, noasync, message: "it blocks the thread")
    public func mistakenAddress() -> EtcdError? {
        let (own, other) = options.isEncrypted ? ("https", "http") : ("http", "https")
        for endpoint in options.endpoints where speaks(other, at: endpoint) {
            let words =
                options.isEncrypted
                ? "it does not speak TLS, and wants etcd:// in place of https://"
                : "it speaks TLS, and wants https:// in place of etcd://"
            return .untrusted(.address, "\(own)://\(endpoint): \(words)")
        }
        return nil
    }

    @available(*, noasync, message: "it blocks the thread")
    private func speaks(_ scheme: String, at endpoint: String) -> Bool {
        var request = HTTPRequest(
            .get, "\(scheme)://\(endpoint)/health",
            timeouts: HTTPTimeouts(connect: options.connectionTimeMax, total: options.requestTimeMax), bodyBytesMax: 1 << 16)
        // Nothing is told to whoever answers, so nobody need be trusted.
        request.certificates.verifiesServer = false
        do throws(HTTPError) {
            _ = try http.call(request).wait()
            return true
        } catch {
            // Who wants to see a certificate speaks TLS as well, and closes the connection once both have agreed on that.
            guard scheme == "https" else { return false }
            return error.reason == .certificateRefused || (error.mayHaveBeenSent && error.reason != .timeout)
        }
    }
}
