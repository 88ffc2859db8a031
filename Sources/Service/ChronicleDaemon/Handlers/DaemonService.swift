import Chronicle
import ChronicleLog
import ChronicleStore
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
    let heldAnswers = HeldAnswers()
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
        debugging: Debugging<App>, refusals: Refusals, names: ServedNames
    ) {
        (self.store, self.history, self.files, self.facts) = (store, history, files, facts)
        (daemonMetrics, self.debugging, self.refusals, self.names) = (metrics, debugging, refusals, names)
        sharedPages = SharedPages(of: store)
        audiences = (0...App.scopes.count).map { _ in Audience { SubscribeMethod.Output($0) } }
    }

    func admission(_ access: AccessList) -> AuthorizationMiddleware {
        use(access)
        return AuthorizationMiddleware(
            access: access, refusals: refusals, names: names,
            opening: DispatchMethod.Input.opening(names.interfaces)
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

    func use(_ list: AccessList) { access.withLock { $0 = list } }

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
