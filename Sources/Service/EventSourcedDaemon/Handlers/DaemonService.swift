import LinuxService
import Records
import StoreRuntime
import Synchronization
import TimeTravel
import TodoAPI
import Varlink
import VarlinkNIO

/// Answers the methods of the interfaces for an app, each in an extension.
final class DaemonService<App: DaemonApp>: MethodHandlers, Sendable {
    let store: Store<App>
    let history: History<App>
    let files: HistoryFiles
    let facts: DaemonFacts
    let daemonMetrics: DaemonMetrics<App>
    let debugging: Debugging<App>
    let followers = Followers()
    let heldAnswers = HeldAnswers()
    /// Who may do what; a reload changes it.
    private let access = Mutex(AccessList())
    let scopes = ScopeNames(App.scopes)
    /// The names of all actions, each behind its feature; none in an app that is not put together from any.
    let actionNames = App.children.isEmpty ? [] : App.actionNames
    /// Who follows the state, by scope: one for everything, and one for each scope in its order.
    let audiences: [Audience<App>]
    let sharedPages: SharedPages<App>
    // Who follows what a feature shows, by its name; made when the first comes.
    private let viewAudiences = Mutex<[String: Audience<App>]>([:])
    private let refusals: Refusals

    init(
        store: Store<App>, history: History<App>, files: HistoryFiles, facts: DaemonFacts, metrics: DaemonMetrics<App>,
        debugging: Debugging<App>, refusals: Refusals
    ) {
        self.store = store
        self.history = history
        self.files = files
        self.facts = facts
        self.refusals = refusals
        daemonMetrics = metrics
        sharedPages = SharedPages(of: store)
        self.debugging = debugging
        audiences = (0...App.scopes.count).map { _ in Audience { SubscribeMethod.Output($0) } }
    }

    /// The service as the server calls it.
    func admission(_ access: AccessList, depthMax: Int) -> Admission {
        use(access)
        return Admission(access: access, depthMax: depthMax, refusals: refusals) { [self] input, peer, reply in
            dispatch(input, from: peer, reply)
        } perform: { [self] (method, call, peer, reply) throws(APIError) in
            try perform(method, call.parameters, from: peer, reply)
        }
    }

    /// Those who follow what a feature shows of which it is known that it is there.
    func viewAudience(of name: String) -> Audience<App> {
        viewAudiences.withLock { audiences in
            if let audience = audiences[name] { return audience }
            let audience = Audience<App> { SubscribeMethod.Output(ofView: $0) }
            audiences[name] = audience
            return audience
        }
    }

    /// Whether somebody may also change what is others'.
    func administers(_ peer: Peer) -> Bool { access.withLock { $0 }.access(of: peer.uid) >= .administer }

    /// Lets others do what they may from now on.
    func use(_ list: AccessList) { access.withLock { $0 = list } }

    /// Takes note of a refused call.
    func note(_ error: APIError, from peer: Peer) { refusals.note(error.name, from: peer.uid) }
}

/// What the daemon knows of itself beside the store.
final class DaemonFacts: Sendable {
    enum Mode: String, Sendable {
        case normal
        case inspect
        case ephemeral
    }

    let version: String
    let mode: Mode
    /// What it can do in this mode beside what its interfaces describe.
    var capabilities: [Capability] {
        Capability.allCases.filter { capability in
            switch capability {
            case .writable: mode != .inspect
            case .durable: mode != .ephemeral
            case .lastingKeys, .textConditions: true
            }
        }
    }
    /// When it was ready, in microseconds since 1970.
    let started: Int64
    /// The log's bytes at that moment.
    let logBytesAtStart: UInt64
    /// Where the log is damaged, when it was opened for looking at.
    let damage: ActionLogError?
    /// Why less is served than the log holds.
    let served: Verification.Damage?
    /// What it is a fork of; `nil`: it is none.
    let fork: ForkMessage?
    let subscribers: Subscribers

    init(
        version: String, mode: Mode, started: Int64, logBytesAtStart: UInt64, damage: ActionLogError?,
        served: Verification.Damage? = nil, fork: ForkMessage? = nil, subscribers: Subscribers
    ) {
        self.version = version
        self.mode = mode
        self.started = started
        self.logBytesAtStart = logBytesAtStart
        self.damage = damage
        self.served = served
        self.fork = fork
        self.subscribers = subscribers
    }
}
