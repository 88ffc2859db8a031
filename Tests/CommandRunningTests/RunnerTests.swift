import Chronicle
import ChronicleLog
import ChronicleTesting
import CommandRunning
import Synchronization
import TestSupport
import Testing

@testable import ChronicleStore

@Suite(.timeLimit(.minutes(15))) struct RunnerTests {
    private let clock = TestClock()

    @Test func `a command costs a row in the commit of its action and a mark that shares a commit with other marks`() async throws
    {
        let log = FailingLog()
        try await withStore(log) { store in
            let errands = (1...16).map { Errands.Action.run(Errand("\($0)")) }
            let ids = try await store.dispatch(Dispatch(errands)).sequences.map { CommandID(sequence: $0, index: 0) }
            #expect(log.counts.appends == 1 && store.status.commands.open == 16)
            // While a commit of another caller is in progress, the marks of all commands accumulate.
            log.hold()
            let answers = Mutex<[Bool]>([])
            store.enqueue(.hold(by: 1)) { _ in }
            try await log.appending(2)
            store.enqueue(.release(by: 1)) { _ in }
            for id in ids {
                store.enqueue(.begin(id, attempt: 1)) { answer in answers.withLock { $0.append((try? answer.get()) != nil) } }
            }
            log.release()
            try await becomes { answers.withLock { $0.count } == 16 }
            #expect(answers.withLock { !$0.contains(false) })
            #expect(log.counts.appends == 3 && store.status.commands.started == 16)
        }
    }

    @Test func `a command runs once regardless of its observers, and its target gets a stable name`() async throws {
        let log = InMemoryActionLog(storeID: "0123")
        let workshop = Workshop()
        try await withRunner(log, workshop, .test(clock), clock: clock) { store, _ in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<20 { group.addTask { for try await _ in store.states() {} } }
                try await store.run(Errand("milk"))
                try await store.reaches { $0.done == ["milk"] }
                group.cancelAll()
                while let result = await group.nextResult() { _ = result }
            }
            try await store.commandsReach { $0.isEmpty }
            #expect(
                workshop.calls == [.init(text: "milk", ticket: CommandTicket(id: "0123/1/0", attempt: 1))])
        }
    }

    @Test func `commands start in the order of their requests, up to the limit of running commands`() async throws {
        let doors = Doors()
        let workshop = Workshop { errand, _ throws(CommandFailure) in
            try await doors.wait(errand.text)
            return .done(errand.text)
        }
        try await withRunner(InMemoryActionLog(), workshop, .test(clock, runningMax: 2), clock: clock) { store, runner in
            try await store.run(Errand("1"), Errand("2"), Errand("3"), Errand("4"))
            await workshop.called(2)
            doors.open("2")
            await workshop.called(3)
            #expect(Set(workshop.texts) == ["1", "2", "3"])
            for name in ["1", "3", "4"] { doors.open(name) }
            try await store.reaches { $0.done.count == 4 }
            #expect(workshop.texts.last == "4")
            #expect(workshop.insideMax == 2)
        }
    }

    @Test func `commands above the limit of their kind wait without an attempt while other kinds run`() async throws {
        let workshop = Workshop { [clock] errand, _ throws(CommandFailure) in
            guard errand.kind == "remind" else { return .done(errand.text) }
            do { try await clock.sleep(for: .seconds(86_400)) } catch { throw CommandFailure("cancelled") }
            return nil
        }
        try await withSimulation(Errands.State(), of: Errands.self, on: workshop, clock: clock) { simulation in
            let hanging = Errand("").with { ($0.kind, $0.runningMax, $0.seconds, $0.attemptsMax) = ("remind", 2, 10, 1) }
            try await simulation.dispatch([Errands.Action](repeating: .run(hanging), count: 6))
            try await simulation.dispatch([.run(Errand("1")), .run(Errand("2"))])
            #expect(simulation.state.done == ["1", "2"])
            let rows = try await simulation.store.commands().map(\.row)
            #expect(rows.map(\.attempts).sorted() == [0, 0, 0, 0, 1, 1] && rows.allSatisfy { $0.waits == 0 && $0.due == 0 })
            // A command that ends while it waits takes no slot.
            try await simulation.submit(.skip(CommandID(sequence: 3, index: 0), by: 1))
            try await simulation.advance(by: .seconds(60))
            let begun = simulation.attempts.filter { $0.command.kind == "remind" }.map(\.elapsed)
            #expect(begun == [.zero, .zero, .seconds(10), .seconds(10), .seconds(20)])
            #expect(try await simulation.store.commands().isEmpty)
        }
    }

    @Test func `in an ordered group a command waits until the previous one has ended`() async throws {
        let doors = Doors()
        let workshop = Workshop { errand, _ throws(CommandFailure) in
            try await doors.wait(errand.text)
            return .done(errand.text)
        }
        try await withRunner(InMemoryActionLog(), workshop, .test(clock), clock: clock) { store, _ in
            let star = Errand("star").with { $0.group = "1" }
            let ids = try await store.run(
                star, star.with { $0.text = "unstar" }, Errand("star 2").with { $0.group = "2" },
                star.with { $0.text = "star again" })
            await workshop.called(2)
            #expect(Set(workshop.texts) == ["star", "star 2"])
            doors.open("star")
            await workshop.called(3)
            #expect(workshop.texts.last == "unstar")
            // A command that ends before it begins also lets the next one run.
            try await store.submit(.cancel(ids[1], by: 1))
            await workshop.called(4)
            #expect(workshop.texts.last == "star again")
            for name in ["star 2", "star again"] { doors.open(name) }
            try await store.commandsReach { $0.isEmpty }
        }
    }

    @Test func `a parked command blocks its group until a person decides`() async throws {
        let workshop = Workshop { errand, _ throws(CommandFailure) in .done(errand.text) }
        let log = InMemoryActionLog()
        let first = Errand("1").with { $0.group = "g" }
        try await withStore(log, clock: clock) { store in
            let ids = try await store.run(first, first.with { $0.text = "2" })
            try await store.submit(.park(ids[0], reason: "ask"))
        }
        try await withRunner(log, workshop, .test(clock), clock: clock) { store, _ in
            try await store.run(Errand("other"))
            try await store.reaches { $0.done == ["other"] }
            #expect(workshop.texts == ["other"])
            try await store.submit(.skip(CommandID(sequence: 1, index: 0), by: 1))
            try await store.reaches { $0.done == ["other", "2"] }
        }
    }

    @Test func `the later of two commands with the same cancel id counts, whichever answers first`() async throws {
        let doors = Doors()
        let workshop = Workshop { errand, _ throws(CommandFailure) in
            // This target ignores cancellation and answers anyway.
            while !Task.isCancelled, errand.text == "old" { await Task.yield() }
            if errand.text == "new" { try await doors.wait("new") }
            return .done(errand.text)
        }
        let notes = Notes()
        try await withRunner(InMemoryActionLog(), workshop, .test(clock, note: notes.add), clock: clock) { store, runner in
            let load = Errand("old").with { $0.cancelID = "load" }
            try await store.run(load)
            await workshop.called(1)
            try await store.run(load.with { $0.text = "new" })
            try await becomes { store.status.lateEnds > 0 }
            doors.open("new")
            try await store.reaches { $0.done == ["new"] }
            #expect(store.present.state.ended == ["old superseded"])
            try await becomes { runner.running == 0 }
            #expect(notes.events == [.late])
        }
    }

    @Test func `two concurrent commands may answer in any order`() async throws {
        let doors = Doors()
        let workshop = Workshop { errand, _ throws(CommandFailure) in
            try await doors.wait(errand.text)
            return .done(errand.text)
        }
        try await withRunner(InMemoryActionLog(), workshop, .test(clock), clock: clock) { store, _ in
            try await store.run(Errand("1"), Errand("2"))
            await workshop.called(2)
            doors.open("2")
            try await store.reaches { $0.done == ["2"] }
            doors.open("1")
            try await store.reaches { $0.done == ["2", "1"] }
        }
    }

    @Test func `a command that is cancelled while it is queued never runs`() async throws {
        let doors = Doors()
        let workshop = Workshop { errand, _ throws(CommandFailure) in
            try await doors.wait("all")
            return .done(errand.text)
        }
        try await withRunner(InMemoryActionLog(), workshop, .test(clock, runningMax: 1), clock: clock) { store, _ in
            let ids = try await store.run(Errand("1"), Errand("2"), Errand("3").with { $0.cancelID = "x" }, Errand("4"))
            await workshop.called(1)
            try await store.submit(.cancel(ids[1], by: 1))
            try await store.run(
                Errand("").with {
                    $0.cancelID = "x"
                    $0.isCancellation = true
                })
            doors.open("all")
            try await store.reaches { $0.done == ["1", "4"] }
            #expect(workshop.texts == ["1", "4"])
        }
    }

    @Test func `cancelling a running command cancels its task`() async throws {
        let doors = Doors()
        let workshop = Workshop { _, _ throws(CommandFailure) in
            try await doors.wait("never")
            return nil
        }
        try await withRunner(InMemoryActionLog(), workshop, .test(clock), clock: clock) { store, runner in
            let id = try await store.run(Errand("1"))[0]
            await workshop.called(1)
            try await store.submit(.cancel(id, by: 1))
            try await becomes { runner.running == 0 }
            #expect(store.present.state.ended == ["1 cancelled"])
            #expect(store.status.lateEnds == 0)
        }
    }

    @Test func `a command whose result requests it again is parked eventually`() async throws {
        let workshop = Workshop { errand, _ throws(CommandFailure) in .again(errand) }
        try await withRunner(InMemoryActionLog(), workshop, .test(clock), clock: clock) { store, _ in
            try await store.run(Errand("loop"))
            try await store.reaches { $0.ended.count == 1 }
            #expect(workshop.calls.count == Int(Limits.commandDepthMax) + 1)
            #expect(try await store.commands().map(\.row.stage) == [.parked])
        }
    }
}
