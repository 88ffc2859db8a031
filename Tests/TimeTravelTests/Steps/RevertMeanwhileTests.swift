import Chronicle
import ChronicleStore
import ChronicleTesting
import FeatureApp
import FeatureCounter
import FeatureTodos
import Testing
import TimeTravel

/// What comes between the comparison of two states and the moment at which it is carried out.
@Suite(.timeLimit(.minutes(15))) struct RevertMeanwhileTests {
    /// Goes back to record 1 while a dispatch that came just before is still on its way to the disk.
    private func revert(
        meanwhile action: App.Action, isDryRun: Bool = false, then check: (Desk, Undone<App.Command>) async throws -> Void
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

    @Test func `what came in a scope that goes back goes back, too`() async throws {
        try await revert(meanwhile: .todos(.add([Todo(title: "Eggs")]))) { desk, _ in #expect(titles(desk) == ["Milk"]) }
    }

    @Test func `what came elsewhere stays`() async throws {
        try await revert(meanwhile: .counter(.increment)) { desk, _ in
            #expect(titles(desk) == ["Milk"])
            #expect(desk.state.counter.count == 1)
        }
    }

    @Test func `trying it out tells the same and leaves all as it is`() async throws {
        try await revert(meanwhile: .todos(.add([Todo(title: "Eggs")])), isDryRun: true) { desk, tried in
            #expect(tried.answer.changes?.map(\.kind) == [.remove, .remove])
            #expect(titles(desk).count == 3)
        }
    }
}
