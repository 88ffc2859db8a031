import Chronicle
import ChronicleLog
import ChronicleStore
import FeatureAlerts
import FeatureApp
import FeatureFlows
import FeaturePosts
import FeatureRepositories
import FeatureStars
import FeatureTodos
import FeatureViews
import TimeTravel

/// A store of the whole app with its history, and a runner that ends commands with sample results.
struct Desk {
    let log: any ActionLog
    let store: Store<App>
    let history: History<App>
    let undoer: Undoer<App>

    init(_ log: any ActionLog = InMemoryActionLog()) throws {
        self.log = log
        let recovered = try RecoveryResult<App>(from: log, snapshots: nil, fingerprint: "one", initial: App.State())
        let store = Store(recovered, log: log, options: StoreOptions(build: 1, fingerprint: "one"))
        history = History(
            log, snapshots: nil, fingerprint: "one", base: PastState(state: App.State()), queries: store.queries,
            present: { store.present })
        undoer = Undoer(store, history)
        self.store = store
    }

    /// Runs a body with a desk, then stops its store.
    static func open(_ log: any ActionLog = InMemoryActionLog(), _ body: (Desk) async throws -> Void) async throws {
        let desk = try Desk(log)
        do {
            try await body(desk)
        } catch {
            await desk.store.stop()
            throw error
        }
        await desk.store.stop()
    }

    var state: App.State { store.present.state }
    var head: UInt64 { store.present.sequence }

    /// Dispatches a batch and returns its step.
    @discardableResult
    func `do`(_ actions: App.Action..., by uid: UInt32 = 1000, key: String? = nil) async throws -> UInt64 {
        try await store.dispatch(Dispatch(actions, origin: uid, key: key)).sequences.lowerBound
    }

    /// Undoes or redoes steps.
    @discardableResult
    func undo(
        _ choice: UndoChoice = .last(1), by uid: UInt32 = 1000, any: Bool = false, insists: Bool = false,
        key: String? = nil, isDryRun: Bool = false
    ) async throws -> Undone<App.Command> {
        try await undoer.undo(
            choice, UndoCall(origin: uid, isForAnyone: any, insists: insists, key: key, isDryRun: isDryRun))
    }

    /// The error of an undo, or `nil`.
    func error(
        _ choice: UndoChoice = .last(1), by uid: UInt32 = 1000, any: Bool = false, key: String? = nil
    ) async -> StoreError? {
        do throws(StoreError) {
            _ = try await undoer.undo(choice, UndoCall(origin: uid, isForAnyone: any, key: key))
            return nil
        } catch { return error }
    }

    /// Begins each open command and ends it with its sample result, until no command is open.
    func bringBack() async throws {
        while true {
            let commands = try await store.commands()
            if commands.isEmpty { return }
            for command in commands {
                guard let known = command.command else { continue }
                try await store.submit(.begin(command.id, attempt: 1))
                try await store.submit(.end(command.id, Self.result(of: known)))
            }
        }
    }

    /// The records from a sequence on.
    func records(from first: UInt64 = 1) async throws -> [LoggedRecord<App>] {
        var records: [LoggedRecord<App>] = []
        while first + UInt64(records.count) <= head {
            records += try await store.records(from: first + UInt64(records.count), through: head)
        }
        return records
    }

    static func result(of command: App.Command) -> App.Action? {
        switch command {
        case .todos(.load): .todos(.loaded([Todo(title: "Loaded one"), Todo(title: "Loaded two")]))
        case .todos(.remind(let id, let time, _)): .todos(.reminded(id, of: time))
        case .posts(.fetch(let page, let destination)): .posts(Self.page(page, destination))
        case .stars(.star(let id)): .stars(.starred(id))
        case .stars(.unstar(let id)): .stars(.unstarred(id))
        case .repositories(.fetch(let language)):
            .repositories(.loaded(language: language, [Repository(id: 1, fullName: language + "/one", stars: 5)]))
        case .repositories(.languages): .repositories(.languagesLoaded(["Swift", "C++", "Zig"]))
        case .flows(.timeOut(let id, _)): .flows(.timedOut(id))
        case .repositories(.show), .repositories(.cancelLanguages), .flows(.keep), .todos(.forget): nil
        }
    }

    private static func page(_ page: Int64, _ destination: Posts.Command.Destination) -> Posts.Action {
        let posts = (0..<3).map { Post(key: "\(page).\($0)", title: "Post \(page).\($0)") }
        return switch destination {
        case .set: .set(posts, nextPage: page + 1)
        case .append: .append(posts, nextPage: page + 1)
        }
    }
}

extension App.State {
    /// The state without the next ids, which no undo resets.
    var withoutNextIDs: App.State {
        var state = self
        state.todos.nextID = 1 << 40
        state.alerts.nextID = 1 << 40
        state.posts.nextID = 1 << 40
        state.flows.nextID = 1 << 40
        state.views.nextID = 1 << 40
        return state
    }
}
