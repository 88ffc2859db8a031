import Chronicle
import ChronicleStore
import ChronicleTesting
import FeatureApp
import FeatureCounter
import FeatureTodos
import Testing
import TimeTravel

/// Tests of dispatches between the preparation of a revert and its commit.
@Suite(.timeLimit(.minutes(15))) struct RevertMeanwhileTests {
    /// Reverts to record 1 while the flush of an earlier dispatch is pending.
    private func revert(
        during action: App.Action, isDryRun: Bool = false, then check: (Desk, Undone<App.Command>) async throws -> Void
    )
        async throws
    {
        let log = FailingLog()
        try await Desk.open(log) { desk in
            try await desk.do(.todos(.add([Todo(title: "Milk")])))
            try await desk.do(.todos(.add([Todo(title: "Bread")])))
            log.hold()
            async let other = desk.do(action)
            try await log.appending(3)
            async let reverted = desk.undoer.revert(to: .sequence(1), UndoCall(origin: 1000, isDryRun: isDryRun))
            while desk.store.status.waitingDispatches == 0 { await Task.yield() }
            log.release()
            #expect(try await other == 3)
            try await check(desk, try await reverted.undone)
        }
    }

    private func titles(_ desk: Desk) -> [String] { desk.state.todos.items.elements.map(\.title) }

    @Test func `a concurrent change in a reverted scope is reverted, too`() async throws {
        try await revert(during: .todos(.add([Todo(title: "Eggs")]))) { desk, _ in #expect(titles(desk) == ["Milk"]) }
    }

    @Test func `a concurrent change outside of the reverted scopes is kept`() async throws {
        try await revert(during: .counter(.increment)) { desk, _ in
            #expect(titles(desk) == ["Milk"])
            #expect(desk.state.counter.count == 1)
        }
    }

    @Test func `a dry run reports the same changes and applies none`() async throws {
        try await revert(during: .todos(.add([Todo(title: "Eggs")])), isDryRun: true) { desk, tried in
            #expect(tried.answer.changes?.map(\.kind) == [.remove, .remove])
            #expect(titles(desk).count == 3)
        }
    }
}
