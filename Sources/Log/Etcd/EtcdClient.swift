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

    /// Ends what is under way with an error, and refuses later calls.
    public func stop() { http.stop() }

    /// The member that is asked.
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

    /// Has the next call go to the next member, unless somebody did that meanwhile.
    func turnAway(from endpoint: Int) {
        state.withLock { state in
            if state.endpoint == endpoint { state.endpoint = state.next(after: endpoint, of: options.endpoints.count) }
        }
    }

    /// Has the next call go to the next member: this one answers, and does not have what all have.
    public func passOver() { turnAway(from: endpoint) }

    /// From now on, accepts answers from the members of one cluster only.
    ///
    /// If all endpoints belong to other clusters, the next answers are accepted again: the members may have been replaced.
    public func trust(_ cluster: String) {
        state.withLock { state in
            if state.cluster != cluster { (state.cluster, state.strangers) = (cluster, []) }
        }
    }

    /// Asks all endpoints for the id of their cluster, and trusts the one that more than half of them belong to. Blocks the thread.
    ///
    /// - Returns: `false` if the endpoints belong to several clusters and none of these has the majority.
    public func trustMajority() -> Bool {
        // All are asked at once, so that the timeouts of silent ones do not add up.
        let calls = options.endpoints.indices.map { try? send(.databaseBytesInUse, to: $0) }
        let clusters = calls.compactMap { call in (try? call?.wait()).flatMap { EtcdReply($0).cluster } }
        let majority = clusters.first { cluster in 2 * clusters.count { $0 == cluster } > memberCount }
        if let majority { trust(majority) }
        return majority != nil || Set(clusters).count <= 1
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
    fileprivate func nextToken(after error: EtcdError) -> EtcdCall<String>? {
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
                throw EtcdError.unreadable("\(call.path): without the id of the cluster")
            }
            return answer
        } catch {
            // Another member may do what this one can't or won't, or says in words that nobody understands.
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

/// The requests of one call to one member: a token if one is missing, the call, and both again if the token is refused.
private struct EtcdExchange<Answer: Sendable> {
    private let client: EtcdClient
    private let call: EtcdCall<Answer>
    private let endpoint: Int
    /// What is asked before the call.
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
