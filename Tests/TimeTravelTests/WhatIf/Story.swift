import Chronicle
import ChronicleLog
import ChronicleStore
import FeatureApp
import FeatureCounter
import FeatureFlows
import FeaturePosts
import FeatureStars
import FeatureTodos
import TestSupport
import Testing
import TimeTravel

/// A log that a store wrote, with commands and their results.
struct Story: Sendable {
    let log: any ActionLog
    let store: Store<App>

    private init(_ log: any ActionLog) throws {
        self.log = log
        store = Store(try RecoveryResult<App>(from: log, initial: App.State()), log: log, options: StoreOptions())
    }

    /// Lets a body write a log, then stops the store.
    static func tell(
        in log: any ActionLog = InMemoryActionLog(), _ body: (Story) async throws -> Void
    ) async throws -> Story {
        let story = try Story(log)
        do {
            try await body(story)
        } catch {
            await story.store.stop()
            throw error
        }
        await story.store.stop()
        return story
    }

    /// Dispatches actions and returns the first sequence.
    @discardableResult
    func dispatch(_ actions: App.Action..., origin: UInt32 = 1000, step: UInt64? = nil, key: String? = nil) async throws -> UInt64
    {
        try await store.dispatch(Dispatch(actions, origin: origin, key: key, step: step)).sequences.lowerBound
    }

    /// Ends the oldest open command of a name with an event.
    func answer(_ name: String, with fact: App.Action?) async throws {
        let commands = try await store.commands()
        let command = try #require(commands.first { $0.row.call.name == name })
        try await store.submit(.begin(command.id, attempt: 1))
        try await store.submit(.end(command.id, fact))
    }

    var history: History<App> {
        History(log, snapshots: nil, fingerprint: "code", base: PastState(state: App.State()))
    }

    var records: [LoggedRecord<App>] {
        get throws {
            var records: [LoggedRecord<App>] = []
            _ = try log.read(from: 1, through: log.head.sequence) { header, payload in
                guard let record = try? LoggedRecord<App>(header, payload) else { return false }
                records.append(record)
                return true
            }
            return records
        }
    }

    /// Writes a log of about `records` random records.
    static func random(_ seed: UInt64, records: Int) async throws -> Story {
        try await tell { story in
            var dice = SeededGenerator(seed)
            while story.log.head.sequence < UInt64(records) {
                if Int.random(in: 0...2, using: &dice) == 0 {
                    try await story.randomEnd(&dice)
                } else {
                    let count = Int.random(in: 1...2, using: &dice)
                    var step: UInt64?
                    if Int.random(in: 0...9, using: &dice) == 0, story.log.head.sequence > 0 {
                        step = UInt64.random(in: 1...story.log.head.sequence, using: &dice)
                    }
                    let actions = (0..<count).map { _ in story.randomAction(&dice) }
                    _ = try? await story.store.dispatch(Dispatch(actions, origin: 1000, step: step))
                }
            }
        }
    }

    private func randomAction(_ dice: inout SeededGenerator) -> App.Action {
        let id = UInt64.random(in: 1...5, using: &dice)
        return switch Int.random(in: 0...12, using: &dice) {
        case 0: .todos(.add([Todo(title: "Milk \(id)")]))
        case 1: .todos(.complete(id))
        case 2: .todos(.remove(id))
        case 3, 4: .todos(.load)
        case 5, 6: .posts(.fetch)
        case 7: .posts(.more)
        case 8, 9, 10: .stars(.press(id < 3 ? "a" : "b"))
        case 11: .flows(.start(kind: "language"))
        default: .counter(.increment)
        }
    }

    private func randomEnd(_ dice: inout SeededGenerator) async throws {
        guard let open = try await store.commands().randomElement(using: &dice) else { return }
        switch Int.random(in: 0...9, using: &dice) {
        case 0: try await store.submit(.skip(open.id, by: 1000))
        case 1: try await store.submit(.cancel(open.id, by: 1000))
        case 2: try await store.submit(.park(open.id, reason: "no network"))
        default:
            guard open.row.stage != .parked else { return }
            try await store.submit(.begin(open.id, attempt: 1))
            let isFailure = Int.random(in: 0...4, using: &dice) == 0
            let fact = open.command.flatMap { Self.fact(for: $0, &dice) }
            try await store.submit(isFailure ? .fail(open.id, reason: "no network") : .end(open.id, fact))
        }
    }

    private static func fact(for command: App.Command, _ dice: inout SeededGenerator) -> App.Action? {
        let number = Int.random(in: 0...9, using: &dice)
        return switch command {
        case .todos: .todos(.loaded([Todo(title: "Loaded \(number)")]))
        case .posts(.fetch(let page, .set)):
            .posts(.set([Post(key: "\(number)", title: "P")], nextPage: page + Int64(number % 3)))
        case .posts(.fetch(let page, .append)): .posts(.append([Post(key: "\(number)", title: "P")], nextPage: page + 1))
        case .stars(.star(let id)): .stars(.starred(id))
        case .stars(.unstar(let id)): .stars(.unstarred(id))
        case .repositories, .flows: nil
        }
    }
}
