import Chronicle
import ChronicleLog
import ChronicleStore
import Expressions
import LinuxService
import Synchronization
import TimeTravel
import TodoAPI
import Varlink
import VarlinkNIO

final class DaemonService<App: DaemonApp>: MethodHandlers, Sendable {
    let store: Store<App>
    let history: History<App>
    let files: HistoryFiles
    let facts: DaemonFacts
    let daemonMetrics: DaemonMetrics<App>
    let debugging: Debugging<App>
    /// The bytes of lists of changes that clients have not read yet.
    let unread = UserQuota()
    private let access = Mutex(AccessList())
    let scopes = ScopeNames(App.scopes)
    /// The names of all actions with their features; empty for an app without features.
    let actionNames = App.children.isEmpty ? [] : App.actionNames
    let times = App.times.sorted()
    /// Of the whole state, then of each scope.
    let audiences: [Audience<App>]
    let sharedPages: SharedPages<App>
    // By feature, created on demand.
    private let viewAudiences = Mutex<[String: Audience<App>]>([:])
    private let refusals: Refusals
    let names: ServedNames

    init(
        store: Store<App>, history: History<App>, files: HistoryFiles, facts: DaemonFacts, metrics: DaemonMetrics<App>,
        refusals: Refusals, names: ServedNames
    ) {
        (self.store, self.history, self.files, self.facts) = (store, history, files, facts)
        (daemonMetrics, self.refusals, self.names) = (metrics, refusals, names)
        debugging = Debugging(of: store, history)
        sharedPages = SharedPages(of: store)
        audiences = (0...App.scopes.count).map { _ in Audience { SubscribeMethod.Output($0) } }
    }

    func admission(_ access: AccessList) -> AuthorizationMiddleware {
        self.access.withLock { $0 = access }
        return AuthorizationMiddleware(
            access: access, refusals: refusals, names: names, opening: DispatchMethod.Input.opening(names.interfaces)
        ) { [self] input, peer, reply in
            dispatch(input, from: peer, reply)
        } perform: { [self] (method, call, peer, reply) throws(APIError) in
            try perform(method, call.parameters, from: peer, reply)
        }
    }

    func viewAudience(of name: String) -> Audience<App> {
        viewAudiences.withLock { audiences in
            if let audience = audiences[name] { return audience }
            let audience = Audience<App> { SubscribeMethod.Output(ofView: $0) }
            audiences[name] = audience
            return audience
        }
    }

    func administers(_ peer: Peer) -> Bool { access.withLock { $0 }.access(of: peer.uid) >= .administer }

    func note(_ error: APIError, from peer: Peer) { refusals.note(names.error(error).name, from: peer.uid) }

    func refuse(_ reply: ReplyHandle, _ error: APIError, from peer: Peer) {
        note(error, from: peer)
        reply.fail(names.error(error))
    }
}

struct DaemonFacts: Sendable {
    enum Mode: String, Sendable {
        case normal
        case inspect
        case ephemeral
    }

    let version: String
    let mode: Mode
    /// The abilities of this mode that the interfaces do not show.
    var capabilities: [Capability] {
        Capability.allCases.filter { capability in
            switch capability {
            case .writable: mode != .inspect
            case .durable: mode != .ephemeral
            case .lastingKeys, .textConditions: true
            }
        }
    }
    let started: Int64
    let logBytesAtStart: UInt64
    let damage: ActionLogError?
    /// Why less is served than the log contains.
    let served: Verification.Damage?
    /// The origin of this fork; `nil` if the log is not a fork.
    let fork: ForkMessage?
    let subscribers: Subscribers
}

extension TodoAPI.Point {
    /// Converts it to a point of the history.
    /// - Throws: `invalidParameter` with the name of the field unless exactly one of the first four is set.
    func moment(_ field: String) throws(APIError) -> TimeTravel.Point {
        guard let before else { return try whole(field) }
        return .before(try whole(field), before)
    }

    private func whole(_ field: String) throws(APIError) -> TimeTravel.Point {
        switch (sequence, back, time, bookmark?.asName) {
        case (let sequence?, nil, nil, nil): return .sequence(sequence)
        case (nil, let count?, nil, nil): return .back(count)
        case (nil, nil, let time?, nil): return .time(time)
        case (nil, nil, nil, "start"?): return .start
        case (nil, nil, nil, "now"?): return .now
        case (nil, nil, nil, let name?): return .bookmark(name)
        default: throw .invalidParameter(field)
        }
    }
}

extension History {
    var range: ClosedRange<UInt64> {
        let base = base.sequence
        return base...max(base, head)
    }
}

extension DaemonService {
    /// Answers from a task, whose queries belong to the caller, and converts its errors to errors of the call.
    func answer(_ reply: ReplyHandle, _ body: @escaping @Sendable (ReplyStream) async throws -> Void) {
        reply.stream { [history, files, names] stream in
            do {
                try await QueryThread.$asker.withValue(reply.peer.uid) { try await body(stream) }
            } catch let error as APIError {
                throw names.error(error)
            } catch let error as StoreError {
                throw names.error(APIError(error, in: history.range, after: files.log.base))
            } catch let error as ActionLogError {
                throw names.error(APIError(StoreError(error), in: history.range, after: files.log.base))
            }
        }
    }

    /// Answers a subscription, unless a limit is reached; it lasts until the peer leaves.
    func answerSubscriber(_ reply: ReplyHandle, _ body: @escaping @Sendable (ReplyStream) async throws -> Void) {
        answer(reply) { [facts] stream in
            try await facts.subscribers.hold(for: reply.peer.uid) { try await body(stream) }
        }
    }

    /// The first sequence that a point, as the beginning of a range, includes; `nil` for no point.
    /// - Throws: `pruned` for a compacted record, also for the last one, whose state is the base.
    func first(of point: TodoAPI.Point?) async throws -> UInt64? {
        guard let moment = try point?.moment("from") else { return nil }
        let base = history.base.sequence
        if case .sequence(let sequence) = moment, sequence == base, base > 0 { throw StoreError.pruned(base: base) }
        // The next record can be requested before it exists.
        if case .sequence(let sequence) = moment, sequence == history.head + 1 { return sequence }
        return try await history.first(of: moment)
    }

    /// The records between two points, inclusive; empty for the next record, which a complete copy requests.
    func range(from: TimeTravel.Point?, to: TimeTravel.Point?) async throws -> Range<UInt64> {
        if case .sequence(let next) = from, to == nil, next == history.head + 1 { return next..<next }
        return try await history.range(from: from, to: to)
    }
}

extension APIError {
    /// Refuses the first parameter that is given, but not allowed beside the others.
    static func refuse(_ parameters: [(name: String, isGiven: Bool, isAllowed: Bool)]) throws(APIError) {
        for parameter in parameters where parameter.isGiven && !parameter.isAllowed { throw .invalidParameter(parameter.name) }
    }

    fileprivate init(_ error: ExpressionError) { self = .badExpression(message: error.message, column: error.column) }
}

extension Path {
    /// Parses a path from a client.
    /// - Throws: `badExpression`, also for a path that no state has, so that a typo is not taken for a missing value.
    init(sent text: String, of shape: Shape) throws(APIError) {
        do { self = try Path(text, of: shape) } catch { throw APIError(error) }
    }
}

extension Expression {
    /// Parses a client's condition on values of a shape; throws `badExpression`, also for fields that the shape lacks.
    init(sent text: String, of shape: Shape, on subject: Subject) throws(APIError) {
        do { self = try Expression(text, of: shape, on: subject) } catch { throw APIError(error) }
    }

    /// Parses a client's numeric expression on states of a shape; throws `badExpression`, also for other results.
    init(number text: String, of shape: Shape) throws(APIError) {
        do { self = try Expression(number: text, of: shape, on: .state) } catch { throw APIError(error) }
    }
}
