import ActionLogs
import AppFeature
import Reducing
import StoreRuntime
import Synchronization
import TimeTravel
import TodoAPI
import Varlink

/// Tells of the actions of some features and of what they changed.
///
/// It folds the records again for itself, beside the store and after they are on disk; so the store does nothing more for it,
/// whether it is on or off, and what a refused batch did is never told.
final class Debugging: Sendable {
    /// The features that there are.
    static let names = App.scopes.filter { !$0.contains(".") }

    private let store: Store<App>
    private let timeline: Timeline<App>
    private let features = Mutex<Set<String>>([])
    /// Yields when a feature is turned on.
    let beginnings: AsyncStream<Void>
    private let beginning: AsyncStream<Void>.Continuation

    init(of store: Store<App>, _ timeline: Timeline<App>) {
        self.store = store
        self.timeline = timeline
        (beginnings, beginning) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Whether any feature is told of.
    var isOn: Bool { features.withLock { !$0.isEmpty } }

    /// Those features in their order; `nil` for none.
    var debugged: [String]? { features.withLock { $0.isEmpty ? nil : $0.sorted() } }

    /// Turns a feature on or off; gives those that are on now.
    func turn(_ feature: String, on: Bool) -> [String] {
        let now = features.withLock { features in
            if on { features.insert(feature) } else { features.remove(feature) }
            return features.sorted()
        }
        if on { beginning.yield() }
        return now
    }

    private struct IsOff: Error {}

    /// Tells of each record from now on, until at one of them no feature is on any more.
    func followWhileOn(_ deliver: (DebugTailMethod.Output) async throws -> Void) async throws {
        do {
            try await follow(checking: { if !isOn { throw IsOff() } }, deliver)
        } catch is IsOff {}
    }

    /// Tells of each record from now on, for as long as the task lives; of which features, is looked up at each.
    func follow(_ deliver: (DebugTailMethod.Output) async throws -> Void) async throws {
        try await follow(checking: {}, deliver)
    }

    private struct WasRedacted: Error {}

    private func follow(
        checking check: () throws -> Void, _ deliver: (DebugTailMethod.Output) async throws -> Void
    ) async throws {
        let present = store.present
        var (state, last, redactions) = (present.state, present.sequence, present.redactions)
        while true {
            do {
                return try await store.watchRecords(from: last + 1, scope: nil) { [store] records, _ in
                    for record in records {
                        try check()
                        // What was read, or folded, before texts were taken out may hold them.
                        guard store.present.redactions == redactions else { throw WasRedacted() }
                        let header = record.header
                        last = header.sequence
                        guard let action = record.action else { continue }
                        let before = state
                        _ = App.reduce(&state, action, Context(time: header.time, origin: header.origin))
                        guard isOn, let told = told(action, header.sequence, header.time, from: before, to: state) else {
                            continue
                        }
                        try await deliver(told)
                    }
                }
            } catch is WasRedacted {
                redactions = store.present.redactions
                state = try await timeline.state(at: .sequence(last)).state
            }
        }
    }

    private func told(
        _ action: App.Action, _ sequence: UInt64, _ time: Int64, from before: App.State, to after: App.State
    ) -> DebugTailMethod.Output? {
        let value = action.value
        guard case .record(let fields) = value, let feature = fields.first?.name,
            features.withLock({ $0.contains(feature) })
        else { return nil }
        let changes = App.changes(from: before, to: after, limit: DebugLines.changesMax)
        return DebugTailMethod.Output(
            sequence: sequence, time: time, feature: feature, action: value, lines: DebugLines.lines(of: changes)
        ).fitting()
    }
}
