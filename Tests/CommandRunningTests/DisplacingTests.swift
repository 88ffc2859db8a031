import Chronicle
import ChronicleLog
import ChronicleTesting
import Testing

@testable import ChronicleStore

@Suite(.timeLimit(.minutes(15))) struct DisplacingTests {
    private let load = Errand("old").with { $0.cancelID = "load" }

    @Test func `a later command supersedes the open ones with its cancel id in its own transaction`() async throws {
        let log = InMemoryActionLog()
        try await withStore(log) { store in
            let old = try await store.run(load)[0]
            let flushes = store.status.flushes
            let new = try await store.run(load.with { $0.text = "new" })[0]
            #expect(store.status.flushes == flushes + 1)
            #expect(try await store.commands().map(\.id) == [new])
            #expect(store.present.state.ended == ["old superseded"])
            let records = try await store.allRecords()
            #expect(records.map(\.header.kind) == [.action, .action, .end])
            #expect(records[2].header.outcome == .superseded && records[2].header.cause == old)
            #expect(records[2].header.step == 1)
        }
    }

    @Test func `records of a batch have consecutive sequence numbers even if they supersede commands`() async throws {
        try await withStore { store in
            let actions = ["1", "2", "3"].map { text in Errands.Action.run(load.with { $0.text = text }) }
            let answer = try await store.dispatch(Dispatch(actions + [.note("x")], key: "k"))
            #expect(answer.sequences == 1..<5)
            #expect(store.present.sequence == 6)
            #expect(store.present.state.ended == ["1 superseded", "2 superseded"])
            #expect(try await store.commands().map(\.id) == [CommandID(sequence: 3, index: 0)])
            let again = try await store.dispatch(Dispatch(actions + [.note("x")], key: "k"))
            #expect(again.isDuplicate && again.sequences == 1..<5)
        }
    }

    @Test func `a cancellation ends the open commands with its cancel id and is no command itself`() async throws {
        try await withStore { store in
            try await store.run(load, Errand("other").with { $0.cancelID = "other" })
            try await store.run(
                load.with {
                    $0.isCancellation = true
                    $0.text = "stop"
                })
            #expect(store.present.state.ended == ["old cancelled"])
            #expect(try await store.commands().map(\.command?.text) == ["other"])
            #expect(try await store.allRecords().last?.header.outcome == .cancelled)
        }
    }

    @Test func `cancel ids of different features are different`() async throws {
        try await withStore { store in
            try await store.run(load.with { $0.place = "left" }, load.with { $0.place = "right" })
            #expect(store.status.commands.open == 2)
            try await store.run(load.with { $0.place = "right" })
            #expect(try await store.commands().map(\.row.cancelID) == ["left.load", "right.load"])
            #expect(try await store.commands().map(\.id.sequence) == [1, 3])
        }
    }

    @Test func `a command that is superseded during its attempt returns no result`() async throws {
        try await withStore { store in
            let old = try await store.run(load)[0]
            try await store.submit(.begin(old, attempt: 1))
            let new = try await store.run(load.with { $0.text = "new" })[0]
            try await store.submit(.begin(new, attempt: 1))
            try await store.submit(.end(new, .done("new")))
            #expect(await store.error(of: .end(old, .done("old"))) == .commandClosed(old))
            #expect(store.present.state.done == ["new"])
        }
    }

    @Test func `a dry run or a refused batch supersedes nothing`() async throws {
        let log = InMemoryActionLog()
        try await withStore(log) { store in
            let old = try await store.run(load)[0]
            let trial = try await store.dispatch(Dispatch([.run(load)], purpose: .dryRun))
            #expect(trial.commands == [load])
            #expect(await store.error(of: [.run(load), .note("bad")]) != nil)
            #expect(try await store.commands().map(\.id) == [old])
            #expect(store.present.sequence == 1 && store.status.commands.open == 1)
            try await store.submit(.begin(old, attempt: 1))
            try await store.submit(.end(old, .done("old")))
        }
    }

    @Test func `a command at the end of a long chain of results is parked and reported in the state`() async throws {
        try await withStore { store in
            let errand = Errand("loop")
            try await store.run(errand)
            var rounds = 0
            while let open = try await store.commands().first, open.row.stage == .waiting {
                try await store.submit(.begin(open.id, attempt: 1))
                try await store.submit(.end(open.id, .again(errand)))
                rounds += 1
            }
            #expect(rounds == Int(Limits.commandDepthMax) + 1)
            let open = try #require(try await store.commands().first)
            #expect(open.row.stage == .parked && open.row.depth == Limits.commandDepthMax + 1)
            #expect(store.present.state.ended.count == 1)
            #expect(store.present.state.ended[0].hasPrefix("loop parked: It was requested by the end of a command"))
        }
    }

    @Test func `commands of a loop whose results fan out are parked by the rate limit and reported in the state`() async throws {
        let log = InMemoryActionLog()
        try await withStore(log, commandsPerMinuteMax: 5) { store in
            let fork = Errand("fork")
            try await store.run(fork)
            while let open = try await store.commands().first(where: { $0.row.stage == .waiting }) {
                try await store.submit(.begin(open.id, attempt: 1))
                try await store.submit(.end(open.id, .forked(fork)))
            }
            let open = try await store.commands()
            #expect(open.count == 7 && open.allSatisfy { $0.row.stage == .parked && $0.row.depth < 6 })
            #expect(open.allSatisfy { $0.row.reason.contains("after 5 others within a minute") })
            #expect(store.status.rateParked == 7)
            #expect(store.present.state.ended.count == 7)
            // A command that a person requests is not part of a loop.
            try await store.run(Errand("other"))
            #expect(try await store.commands().last?.row.stage == .waiting)
        }
    }

    @Test func `commands whose flush failed do not count towards the limit per minute`() async throws {
        let log = FailingLog()
        try await withStore(log, commandsPerMinuteMax: 3) { store in
            let first = try await store.run(Errand("first"))[0]
            try await store.submit(.begin(first, attempt: 1))
            for _ in 0..<5 {
                log.failNext()
                #expect(await store.error(of: .end(first, .again(Errand("second")))) != nil)
            }
            try await store.submit(.end(first, .again(Errand("second"))))
            #expect(try await store.commands().map(\.row.stage) == [.waiting])
            #expect(store.status.rateParked == 0)
        }
    }
}
