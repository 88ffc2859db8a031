import Chronicle
import ChronicleLog
import ChronicleTesting
import Testing

@testable import ChronicleStore

@Suite(.timeLimit(.minutes(15))) struct OrderTests {
    @Test func `an attempt is marked, and its result is a record that names the command and closes its row`() async throws {
        let log = InMemoryActionLog()
        try await withStore(log) { store in
            let id = try await store.run(Errand("milk"), origin: 7)[0]
            try await store.submit(.begin(id, attempt: 1))
            let row = try #require(try log.outbox().first)
            #expect(row.stage == .started && row.attempts == 1 && row.step == 1 && row.origin == 7)
            #expect(store.status.commands.started == 1)

            try await store.submit(.end(id, .done("milk")))
            #expect(store.present.state.done == ["milk"])
            let open = try log.outbox()
            #expect(open.isEmpty)
            let record = try #require(try await store.allRecords().last)
            #expect(record.header.kind == .end && record.header.cause == id && record.header.outcome == .result)
            #expect(record.header.step == 1 && record.header.origin == 7 && record.action == .done("milk"))
            #expect(store.status.commands.open == 0)
        }
    }

    @Test func `an attempt whose begin is repeated counts once`() async throws {
        let log = InMemoryActionLog()
        try await withStore(log) { store in
            let id = try await store.run(Errand("milk"))[0]
            for attempt in [1, 1, 2, 2] as [UInt32] {
                try await store.submit(.begin(id, attempt: attempt))
                #expect(try log.outbox().first?.attempts == attempt)
            }
        }
    }

    @Test func `an end without an attempt, a second end and a late end are refused and counted`() async throws {
        try await withStore { store in
            let ids = try await store.run(Errand("a"), Errand("b"))
            #expect(await store.error(of: .end(ids[0], .done("a"))) == .commandClosed(ids[0]))
            try await store.submit(.begin(ids[0], attempt: 1))
            try await store.submit(.end(ids[0], .done("a")))
            #expect(await store.error(of: .end(ids[0], .done("a"))) == .commandClosed(ids[0]))
            try await store.submit(.begin(ids[1], attempt: 1))
            try await store.submit(.cancel(ids[1], by: 7))
            #expect(await store.error(of: .end(ids[1], .done("b"))) == .commandClosed(ids[1]))
            #expect(store.present.state == Errands.State(done: ["a"], ended: ["b cancelled"]))
            #expect(store.status.lateEnds == 3)
        }
    }

    @Test func `each kind of end without a result is a record that reports to the state how the command ended`() async throws {
        try await withStore { store in
            let ids = try await store.run(Errand("a"), Errand("b"), Errand("c"))
            try await store.submit(.begin(ids[0], attempt: 1))
            try await store.submit(.fail(ids[0], reason: "no shop"))
            try await store.submit(.skip(ids[1], by: 3))
            try await store.submit(.cancel(ids[2], by: 4))
            #expect(store.present.state.ended == ["a failed: no shop", "b skipped", "c cancelled"])
            let ends = try await store.allRecords().suffix(3).map(\.header)
            #expect(ends.map(\.kind) == [.end, .end, .end])
            #expect(ends.map(\.outcome) == [.failed, .skipped, .cancelled])
            #expect(ends.map(\.reason) == ["no shop", "by uid 3", "by uid 4"])
            #expect(ends.map(\.cause) == ids)
        }
    }

    @Test func `a silent end is logged and does not change the state`() async throws {
        try await withDirectories { directory, _ in
            do {
                try await withStore(try openLog(directory)) { store in
                    let errand = Errand("a").with { $0.isSilent = true }
                    let ids = try await store.run(errand, errand)
                    try await store.submit(.skip(ids[0], by: 7))
                    try await store.submit(.begin(ids[1], attempt: 1))
                    try await store.submit(.end(ids[1], nil))
                    #expect(try await store.allRecords().map(\.header.outcome) == [nil, nil, .skipped, .result])
                }
            }
            try await withStore(try openLog(directory)) { store in
                #expect(store.present.sequence == 4)
                #expect(store.present.state == Errands.State())
                #expect(store.status.commands.open == 0)
            }
        }
    }

    @Test func `a result that prepare refuses ends the command as failed`() async throws {
        try await withStore { store in
            let id = try await store.run(Errand("a"))[0]
            try await store.submit(.begin(id, attempt: 1))
            try await store.submit(.end(id, .done("bad")))
            #expect(store.present.state == Errands.State(ended: ["a failed: This is no result."]))
            #expect(try await store.allRecords().last?.header.outcome == .failed)
        }
    }

    @Test func `further actions of a result are logged after it with the same cause`() async throws {
        try await withStore { store in
            let id = try await store.run(Errand("a"))[0]
            try await store.submit(.begin(id, attempt: 1))
            let answer = try await store.submit(.end(id, .both("a")))
            #expect(answer.sequences == 2..<4)
            let records = try await store.allRecords().suffix(2)
            #expect(records.map(\.header.kind) == [.end, .action])
            #expect(records.map(\.header.cause) == [id, id])
            #expect(records.map(\.header.step) == [1, 1])
            #expect(records.map(\.action) == [.done("a"), .ended("a")])
        }
    }

    @Test func `a client can't dispatch an event`() async throws {
        try await withStore { store in
            let error = await store.error(of: [.note("x"), .done("x")])
            #expect(error == .factNotAllowed(action: 1))
            #expect(store.present.sequence == 0)
        }
    }

    @Test func `a parked command waits until a person retries it`() async throws {
        try await withStore { store in
            let id = try await store.run(Errand("a"))[0]
            try await store.submit(.begin(id, attempt: 1))
            #expect(await store.error(of: .retry(id, by: 1)) == .commandRunning(id))
            try await store.submit(.park(id, reason: "uncertain"))
            #expect(store.present.state.ended == ["a parked: uncertain"])
            #expect(store.status.commands.parked == 1)
            let record = try #require(try await store.allRecords().last)
            #expect(record.header.kind == .action && record.header.cause == id)
            #expect(await store.error(of: .begin(id, attempt: 1)) == .commandClosed(id))
            #expect(await store.error(of: .end(id, nil)) == .commandClosed(id))
            try await store.submit(.retry(id, by: 1))
            try await store.submit(.begin(id, attempt: 1))
            let command = try #require(try await store.commands().first)
            #expect(command.row.attempts == 2 && command.row.stage == .started)
        }
    }

    @Test func `the list of open commands contains all fields`() async throws {
        try await withStore { store in
            let first = Errand("a").with { $0.group = "shops" }
            let second = Errand("b").with {
                $0.cancelID = "b"
                $0.delay = 60
            }
            let ids = try await store.run(first, second, origin: 7)
            let commands = try await store.commands()
            #expect(commands.map(\.id) == ids)
            #expect(commands.map(\.command) == [first, second])
            #expect(commands.map(\.row.group) == ["shops", ""])
            #expect(commands.map(\.row.cancelID) == ["", "b"])
            #expect(commands.map(\.row.due) == [0, store.present.time + 60_000_000])
            #expect(commands.map(\.row.origin) == [7, 7])
        }
    }

    @Test func `the end of a command with a due time records that time`() async throws {
        try await withStore { store in
            let id = try await store.run(Errand("a").with { $0.delay = 60 })[0]
            let due = store.present.time + 60_000_000
            try await store.submit(.begin(id, attempt: 1))
            try await store.submit(.end(id, nil))
            #expect(try await store.allRecords().last?.header.due == due)
        }
    }
}
