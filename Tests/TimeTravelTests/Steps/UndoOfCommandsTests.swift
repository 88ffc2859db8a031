import Chronicle
import ChronicleLog
import ChronicleStore
import FeatureAlerts
import FeatureApp
import FeatureCounter
import FeaturePosts
import FeatureRepositories
import FeatureStars
import FeatureTodos
import Testing

@testable import TimeTravel

@Suite struct UndoOfCommandsTests {
    @Test func `the result of a command is undone together with the step that requested it`() async throws {
        try await Desk.open { desk in
            try await desk.do(.todos(.add([Todo(title: "Milk")])))
            let before = desk.state
            let step = try await desk.do(.todos(.load))
            try await desk.do(.counter(.increment), by: 1001)
            try await desk.bringBack()
            let done = desk.state
            let undone = try await desk.undo(.steps([step]))
            #expect(undone.steps == [step] && undone.effects.isEmpty)
            #expect(desk.state.todos.items == before.todos.items && desk.state.counter.count == 1)
            try await desk.undo(.redo(1))
            #expect(desk.state == done)
            #expect(try await desk.store.commands().isEmpty)
        }
    }

    @Test func `an undo skips steps that only query, and undoes one by its number`() async throws {
        try await Desk.open { desk in
            let added = try await desk.do(.todos(.add([Todo(title: "Milk")])))
            let load = try await desk.do(.todos(.load))
            try await desk.do(.posts(.fetch))
            try await desk.do(.repositories(.reload))
            try await desk.bringBack()
            try await desk.do(.posts(.more))
            try await desk.bringBack()
            #expect(try await desk.undo().steps == [added])
            #expect(desk.state.todos.items.count == 2 && desk.state.posts.items.count == 6)
            #expect(await desk.error() == .nothingToUndo)
            // A query is not a new step either, so an earlier undo can still be redone.
            try await desk.do(.posts(.fetch))
            try await desk.bringBack()
            #expect(try await desk.undo(.redo(1)).steps.count == 1)
            #expect(desk.state.todos.items.count == 3)
            #expect(try await desk.undo(.steps([load])).steps == [load])
            #expect(desk.state.todos.items.count == 1)
            // A query in one dispatch with a command is part of that step.
            let both = try await desk.do(.counter(.increment), .todos(.load))
            try await desk.bringBack()
            #expect(try await desk.undo().steps == [both] && desk.state.todos.items.count == 1)
        }
    }

    @Test func `an undo cancels an open command in the same flush and without an alert, and a redo requests it again`()
        async throws
    {
        try await Desk.open { desk in
            let step = try await desk.do(.todos(.load))
            let loading = desk.state
            let undone = try await desk.undo(.steps([step]))
            #expect(desk.state.withoutNextIDs == App.State().withoutNextIDs)
            #expect(try await desk.store.commands().isEmpty)
            let records = try await desk.records(from: undone.step)
            let end = try #require(records.first)
            #expect(end.header.kind == .end && end.header.outcome == .cancelled && end.header.undoes == step)
            #expect(end.header.reason == "Undone by uid 1000." && end.header.cause == CommandID(sequence: step, index: 0))
            #expect(Set(records.map(\.header.step)) == [undone.step])
            try await desk.undo(.redo(1))
            #expect(desk.state.withoutNextIDs == loading.withoutNextIDs)
            #expect(try await desk.store.commands().map(\.command) == [.todos(.load)])
            try await desk.undo()
            #expect(desk.state.withoutNextIDs == App.State().withoutNextIDs)
            #expect(try await desk.history.verify().damages.isEmpty)
        }
    }

    @Test func `an undo by number of a redone step also cancels the command that the redo requested`() async throws {
        try await Desk.open { desk in
            let step = try await desk.do(.todos(.load))
            try await desk.undo(.steps([step]))
            let redone = try await desk.undo(.redo(1))
            try await desk.undo()
            let again = try await desk.undo(.redo(1))
            let undone = try await desk.undo(.steps([step]))
            #expect(undone.steps == [again.step] && again.step != redone.step)
            #expect(desk.state.withoutNextIDs == App.State().withoutNextIDs)
            #expect(try await desk.store.commands().isEmpty)
            #expect(await desk.error(.steps([step])) == .alreadyUndone(step, by: undone.step))
        }
    }

    @Test func `the result of a command that a redo requested is undone by the number of the original step`() async throws {
        try await Desk.open { desk in
            let step = try await desk.do(.todos(.load))
            try await desk.undo(.steps([step]))
            let again = try await desk.undo(.redo(1))
            try await desk.bringBack()
            #expect(desk.state.todos.items.count == 2)
            #expect(try await desk.undo(.steps([step])).steps == [again.step])
            #expect(desk.state.withoutNextIDs == App.State().withoutNextIDs)
        }
    }

    @Test func `a redo of several steps redoes each of them once`() async throws {
        try await Desk.open { desk in
            try await desk.do(.counter(.increment))
            for _ in 0..<2 {
                try await desk.undo()
                try await desk.undo(.redo(1))
            }
            try await desk.undo()
            let redone = try await desk.undo(.redo(5))
            #expect(redone.steps == [6] && desk.state.counter.count == 1)
            #expect(await desk.error(.redo(1)) == .nothingToRedo)
            try await desk.do(.counter(.increment))
            try await desk.undo(.last(2))
            #expect(desk.state.counter.count == 0)
            try await desk.undo(.redo(9))
            #expect(desk.state.counter.count == 2)
        }
    }

    @Test func `an undo without an effect is refused and logs nothing, even if the caller insists`() async throws {
        try await Desk.open { desk in
            try await desk.do(.todos(.add([Todo(title: "Milk")])))
            let step = try await desk.do(.todos(.complete(1)))
            try await desk.do(.todos(.remove(1)), by: 1001)
            let head = desk.head
            await #expect(throws: StoreError.nothingLeft(step)) { try await desk.undo(insists: true) }
            #expect(desk.head == head)
        }
    }

    @Test func `an undo or redo that refers to an archived step can't be undone or redone itself`() async throws {
        try await Desk.open { desk in
            try await desk.do(.todos(.add([Todo(title: "Milk")])))
            try await desk.undo()
            try await desk.undo(.redo(1))
            let past = try await desk.history.state(at: .sequence(2))
            desk.history.begin(with: past)
            #expect(await desk.error(.redo(1)) == .nothingToRedo)
            #expect(await desk.error() == .nothingToUndo)
            #expect(desk.state.todos.items.count == 1)
        }
    }

    @Test func `an undone star is removed by the opposite command and reported as an effect`() async throws {
        try await Desk.open { desk in
            let step = try await desk.do(.stars(.press("swift")))
            try await desk.bringBack()
            let undone = try await desk.undo()
            #expect(
                undone.effects == [
                    .init(id: CommandID(sequence: step, index: 0), command: .stars(.star("swift")), isCertain: true)
                ])
            #expect(undone.answer.commands == [.stars(.unstar("swift"))])
            #expect(desk.state.stars["swift"].phase == .unstaring)
            try await desk.bringBack()
            #expect(desk.state == App.State())
            let redone = try await desk.undo(.redo(1))
            #expect(redone.answer.commands == [.stars(.star("swift"))])
            try await desk.bringBack()
            #expect(desk.state.stars["swift"] == Star(.star, starCount: 1))
        }
    }

    @Test func `a star that may have been set is reported as an uncertain effect`() async throws {
        try await Desk.open { desk in
            let step = try await desk.do(.stars(.press("swift")))
            let id = CommandID(sequence: step, index: 0)
            try await desk.store.submit(.begin(id, attempt: 1))
            let undone = try await desk.undo()
            #expect(undone.effects == [.init(id: id, command: .stars(.star("swift")), isCertain: false)])
            #expect(desk.state.withoutNextIDs == App.State().withoutNextIDs)
            await #expect(throws: StoreError.commandClosed(id)) {
                try await desk.store.submit(.end(id, .stars(.starred("swift"))))
            }
        }
    }

    @Test func `a star that was pressed again since is a conflict`() async throws {
        try await Desk.open { desk in
            let step = try await desk.do(.stars(.press("swift")))
            try await desk.bringBack()
            try await desk.do(.stars(.press("swift")), by: 1001)
            guard case .conflict(let conflicts) = await desk.error(.steps([step])) else {
                Issue.record("no conflict")
                return
            }
            #expect(conflicts.first?.path == "stars.items.swift")
        }
    }

    @Test func `an undo is computed again if a result arrives during its preparation`() async throws {
        for _ in 0..<20 {
            try await Desk.open { desk in
                let step = try await desk.do(.todos(.load))
                async let back: Void = completeCommands(desk)
                try await desk.undo(.steps([step]))
                await back
                #expect(desk.state.withoutNextIDs == App.State().withoutNextIDs)
            }
        }
    }

    private func completeCommands(_ desk: Desk) async { try? await desk.bringBack() }

    @Test func `a revert to a moment undoes all later changes, as one step that can be undone itself`() async throws {
        try await Desk.open { desk in
            try await desk.do(.todos(.add([Todo(title: "Milk"), Todo(title: "Bread")])))
            try await desk.do(.todos(.complete(1)), by: 1001)
            let point = desk.state
            let sequence = desk.head
            try await desk.do(.todos(.remove(1)))
            try await desk.do(.counter(.increment), .posts(.fetch), .repositories(.reload), by: 1001)
            try await desk.bringBack()
            try await desk.do(.todos(.load))
            let before = desk.state
            let trial = try await desk.undoer.revert(to: .sequence(sequence), UndoCall(origin: 1000, isDryRun: true))
            #expect(trial.undone.answer.changes?.isEmpty == false && trial.target == sequence && desk.state == before)
            let (undone, _) = try await desk.undoer.revert(to: .sequence(sequence), UndoCall(origin: 1000, key: "r"))
            #expect(desk.state.withoutNextIDs == point.withoutNextIDs)
            #expect(try await desk.store.commands().isEmpty)
            let again = try await desk.undoer.revert(to: .sequence(sequence), UndoCall(origin: 1000, key: "r"))
            #expect(again.undone.answer.isDuplicate && again.undone.step == undone.step)
            #expect(try await desk.undo().steps == [undone.step])
            #expect(desk.state.withoutNextIDs == before.withoutNextIDs)
            #expect(try await desk.store.commands().map(\.command) == [.todos(.load)])
            #expect(try await desk.history.verify().damages.isEmpty)
        }
    }

    @Test func `a revert to the present logs nothing`() async throws {
        try await Desk.open { desk in
            try await desk.do(.counter(.increment))
            let (undone, _) = try await desk.undoer.revert(to: .now, UndoCall(origin: 1000))
            #expect(undone.answer.sequences.isEmpty && desk.head == 1)
        }
    }
}
