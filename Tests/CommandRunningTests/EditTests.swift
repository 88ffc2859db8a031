import Chronicle
import ChronicleLog
import ChronicleTesting
import CommandRunning
import Testing

@testable import ChronicleStore

@Suite(.timeLimit(.minutes(15))) struct EditTests {
    private let clock = TestClock()
    private let id = CommandID(sequence: 1, index: 0)

    private func edit(_ text: String, by uid: UInt32 = 5) -> CommandOrder<Errands.Action> {
        .edit(id, arguments: ["text": .text(text)], by: uid)
    }

    @Test func `a parked command that is edited and retried runs with the new arguments under a new name`() async throws {
        let log = InMemoryActionLog()
        try await withStore(log, clock: clock) { store in
            try await store.run(Errand("old").with { $0.isIdempotent = false })
            try await store.submit(.begin(id, attempt: 1))
        }
        let workshop = Workshop()
        try await withRunner(log, workshop, .test(clock), clock: clock) { store, _ in
            try await store.commandsReach { $0.first?.row.stage == .parked }
            let ended = store.present.state.ended
            #expect(try await store.submit(edit("new")).sequences == 3..<4)
            #expect(store.present.state.ended == ended)
            let row = try #require(try await store.commands().first).row
            #expect(row.stage == .parked && row.attempts == 0 && row.edited == 3 && row.reason.hasPrefix("uncertain"))
            #expect(workshop.calls.isEmpty)
            try await store.submit(.retry(id, by: 5))
            try await store.reaches { $0.done == ["new"] }
            #expect(workshop.calls.map(\.ticket.id) == ["\(store.id)/1/0/3"])
            #expect(workshop.calls.map(\.ticket.attempt) == [1])
        }
    }

    @Test func `the log says who edited which arguments, and the edited row outlives a restart`() async throws {
        let log = InMemoryActionLog()
        try await withStore(log) { store in
            try await store.run(Errand("old"), Errand("other"))
            try await store.submit(edit("new", by: 9))
            let record = try #require(try await store.allRecords().last)
            #expect(record.header.kind == .edit && record.header.origin == 9 && record.header.cause == id)
            #expect(record.edit?.before == CommandCall(Errand("old")) && record.edit?.after == CommandCall(Errand("new")))
        }
        try await withStore(log) { store in
            #expect(try await store.commands().map(\.command?.text) == ["new", "other"])
            try await store.submit(.begin(id, attempt: 1))
            try await store.submit(.end(id, .done("new")))
        }
    }

    @Test func `an edit is refused if the arguments have another shape, or if the command is running or closed`() async throws {
        try await withStore { store in
            try await store.run(Errand("old"))
            let wrong = await store.error(of: .edit(id, arguments: ["text": 1], by: 5))
            #expect(wrong == .badArguments(id, ValueMismatch("text", "a text is expected")))
            let unknown = await store.error(of: .edit(id, arguments: ["text": "x", "colour": "red"], by: 5))
            #expect(unknown == .badArguments(id, ValueMismatch("colour", "there is no such field")))
            for arguments: Value in [
                ["text": "x", "cancelID": "y", "isCancellation": true],
                ["text": .text(String(repeating: "x", count: Limits.argumentsBytesMax))],
            ] {
                guard case .badArguments = await store.error(of: .edit(id, arguments: arguments, by: 5)) else {
                    Issue.record("the arguments were accepted")
                    return
                }
            }
            try await store.submit(.begin(id, attempt: 1))
            #expect(await store.error(of: edit("new")) == .commandRunning(id))
            try await store.submit(.end(id, .done("old")))
            #expect(await store.error(of: edit("new")) == .commandClosed(id))
            #expect(store.present.sequence == 2)
        }
    }

    @Test func `an edit to equal arguments logs nothing, and an edit that was not written has no effect`() async throws {
        let log = FailingLog()
        try await withStore(log) { store in
            try await store.run(Errand("old"))
            #expect(try await store.submit(edit("old")).sequences.isEmpty)
            log.failNext(with: .storageFull(.disk, message: "full"))
            #expect(await store.error(of: edit("new")) == .storageFull("full"))
            #expect(try await store.commands().map(\.command?.text) == ["old"])
            try await store.submit(edit("newer"))
            #expect(try await store.allRecords().last?.edit?.before == CommandCall(Errand("old")))
        }
    }

    @Test func `an edit can move a command to another group, and the next command of its old group runs`() async throws {
        let workshop = Workshop()
        try await withRunner(InMemoryActionLog(), workshop, .test(clock), clock: clock) { store, _ in
            try await store.submit(.hold(by: 1))
            let first = Errand("1").with {
                $0.group = "a"
                $0.delay = 60
            }
            let ids = try await store.run(first, Errand("2").with { $0.group = "a" }, Errand("3").with { $0.group = "b" })
            try await store.submit(.release(by: 1))
            try await store.reaches { $0.done == ["3"] }
            try await store.submit(.edit(ids[0], arguments: ["text": "1", "group": "b"], by: 1))
            try await store.reaches { $0.done == ["3", "2"] }
            try await store.submit(.retry(ids[0], by: 1))
            try await store.reaches { $0.done == ["3", "2", "1"] }
        }
    }

    @Test func `an edit can change the cancel id, and a later command with that id supersedes the command`() async throws {
        try await withStore { store in
            try await store.run(Errand("old").with { $0.cancelID = "a" })
            try await store.submit(.edit(id, arguments: ["text": "new", "cancelID": "b"], by: 1))
            try await store.run(Errand("x").with { $0.cancelID = "a" })
            #expect(store.present.state.ended.isEmpty)
            try await store.run(Errand("y").with { $0.cancelID = "b" })
            #expect(store.present.state.ended == ["new superseded"])
        }
    }

    @Test func `an imported history keeps its edits`() async throws {
        let source = InMemoryActionLog()
        try await withStore(source) { store in
            try await store.run(Errand("old"))
            try await store.submit(edit("new"))
        }
        var records: [SealedRecord] = []
        _ = try source.sealed(from: 1, through: .max, recordsMax: .max, bytesMax: .max) { record in
            records.append(record)
            return true
        }
        try await withStore { store in
            try await store.writingExclusively { try await store.importBatch(ImportBatch(records: records)) }
            #expect(try await store.commands().map(\.command?.text) == ["new"])
            #expect(try await store.commands().map(\.row.edited) == [2])
        }
        try await withStore { store in
            try await store.writingExclusively {
                try await store.importBatch(ImportBatch(records: Array(records[..<1])))
                await #expect(throws: StoreError.self) {
                    try await store.importBatch(ImportBatch(records: [records[1], records[1]]))
                }
            }
            #expect(try await store.commands().map(\.command?.text) == ["old"])
        }
    }
}
