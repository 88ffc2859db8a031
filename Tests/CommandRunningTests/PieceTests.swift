import Chronicle
import ChronicleLog
import ChronicleTesting
import CommandRunning
import DiskLog
import Synchronization
import TestSupport
import Testing

@testable import ChronicleStore

/// A target that returns three parts and an end, and waits at a gate before each part.
private struct Copier: CommandTarget {
    let doors: Doors
    let isForgetful: Bool

    func perform(_ command: Errand, _ ticket: CommandTicket) async throws(CommandFailure) -> Errands.Action? { nil }

    func perform(
        _ command: Errand, _ ticket: CommandTicket, _ pieces: CommandPieces<Errands.Action>
    ) async throws(CommandFailure) -> Errands.Action? {
        for index in (isForgetful ? 0 : pieces.logged)..<3 {
            try await doors.wait("\(index)")
            try await pieces.log(index, .done("\(command.text) \(index)"), .init(UInt64(index + 1), of: 4))
        }
        try await doors.wait("end")
        return .done("\(command.text) end")
    }
}

@Suite(.timeLimit(.minutes(15))) struct PieceTests {
    private let clock = TestClock()
    private let doors = Doors()
    private let id = CommandID(sequence: 1, index: 0)
    private typealias Runner = CommandRunner<Errands, Copier>

    private func withCopier(
        _ log: any ActionLog, isForgetful: Bool = false, _ body: (ErrandStore) async throws -> Void
    ) async throws {
        try await withStore(log, clock: clock) { store in
            let target = Copier(doors: doors, isForgetful: isForgetful)
            let runner = Runner(store: store, target: target, options: .test(clock))
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await runner.run() }
                defer { group.cancelAll() }
                try await body(store)
            }
        }
    }

    private func piece(_ index: UInt32, _ fact: Errands.Action? = .done("x")) -> CommandOrder<Errands.Action> {
        .piece(id, ResultPiece(index: index, done: UInt64(index) + 1, total: 9), fact)
    }

    @Test func `parts of a result are events before the end, and each record has its part's index`() async throws {
        try await withCopier(InMemoryActionLog()) { store in
            try await store.run(Errand("copy"))
            doors.open("0")
            doors.open("1")
            try await store.reaches { $0.done == ["copy 0", "copy 1"] }
            let row = try #require(try await store.commands().first).row
            #expect(row.stage == .started && row.pieces == 2 && row.done == 2 && row.total == 4 && row.pieceBytes > 0)
            doors.open("2")
            doors.open("end")
            try await store.reaches { $0.done == ["copy 0", "copy 1", "copy 2", "copy end"] }
            let records = try await store.allRecords()
            #expect(records.map(\.header.kind) == [.action, .piece, .action, .piece, .action, .piece, .action, .end])
            #expect(records.dropFirst().allSatisfy { $0.header.cause == id && $0.header.step == 1 && $0.header.origin == 7 })
            #expect(records.compactMap(\.piece) == (0..<3).map { ResultPiece(index: $0, done: UInt64($0) + 1, total: 4) })
            #expect(try await store.commands().isEmpty)
        }
    }

    @Test(arguments: [false, true])
    func `an attempt after a restart logs no part twice`(isForgetful: Bool) async throws {
        let directory = TemporaryDirectory()
        doors.open("0")
        doors.open("1")
        do {
            let log = try openLog(directory.path)
            try await withCopier(log) { store in
                try await store.run(Errand("copy"))
                try await store.reaches { $0.done.count == 2 }
            }
        }
        doors.open("2")
        doors.open("end")
        try await withCopier(try openLog(directory.path), isForgetful: isForgetful) { store in
            try await store.reaches { $0.done == ["copy 0", "copy 1", "copy 2", "copy end"] }
            #expect(store.status.repeatedPieces == (isForgetful ? 2 : 0))
        }
    }

    @Test func `a part that is out of order, refused by prepare, or of a closed command is refused`() async throws {
        try await withStore { store in
            try await store.run(Errand("copy"))
            #expect(await store.error(of: piece(0)) == .commandClosed(id))
            try await store.submit(.begin(id, attempt: 1))
            guard case .refused(let refusal, _) = await store.error(of: piece(1)) else {
                Issue.record("part 0 is missing")
                return
            }
            #expect(refusal.name == "PieceOutOfOrder")
            #expect(await store.error(of: piece(0, .done("bad"))) == .refused(Refusal("Bad", "This is no result."), action: 0))
            #expect(store.present.sequence == 1)
            #expect(try await store.commands().first?.row.pieces == 0)
            try await store.submit(piece(0, nil))
            #expect(try await store.submit(piece(0)).sequences.isEmpty)
            try await store.submit(.end(id, nil))
            #expect(await store.error(of: piece(1)) == .commandClosed(id))
            #expect(store.status.repeatedPieces == 1 && store.status.lateEnds == 2)
        }
    }

    @Test func `the number of parts of a command is limited`() async throws {
        let log = InMemoryActionLog()
        try await withStore(log) { store in
            try await store.run(Errand("copy"))
            try await store.submit(.begin(id, attempt: 1))
            let row = try #require(try log.outbox().first)
            var flush = Flush(after: log.head)
            var full = row
            full.pieces = Limits.piecesMax
            flush.change(full)
            try log.append(flush)
        }
        try await withStore(log) { store in
            guard case .refused(let refusal, _) = await store.error(of: piece(Limits.piecesMax)) else {
                Issue.record("a part above the limit was accepted")
                return
            }
            #expect(refusal.name == "TooManyPieces" && refusal.message.contains("at most 10000 of 67108864 bytes"))
        }
    }

    @Test func `a part that requests a superseding command is the last one`() async throws {
        try await withStore { store in
            let load = Errand("load").with { $0.cancelID = "load" }
            try await store.run(load)
            try await store.submit(.begin(id, attempt: 1))
            try await store.submit(piece(0, .again(load)))
            #expect(try await store.commands().map(\.id) == [CommandID(sequence: 3, index: 0)])
            #expect(store.present.state.ended == ["load superseded"])
            #expect(await store.error(of: piece(1)) == .commandClosed(id))
        }
    }

    @Test func `a part that was not written is sent again`() async throws {
        let log = FailingLog()
        try await withStore(log) { store in
            try await store.run(Errand("copy"))
            try await store.submit(.begin(id, attempt: 1))
            log.failNext(with: .storageFull(.disk, message: "full"))
            #expect(await store.error(of: piece(0)) == .storageFull("full"))
            #expect(store.present.state.done.isEmpty)
            try await store.submit(piece(0))
            #expect(store.present.state.done == ["x"])
        }
    }

    @Test func `an imported history keeps parts of results`() async throws {
        let source = InMemoryActionLog()
        try await withStore(source) { store in
            try await store.run(Errand("copy"))
            try await store.submit(.begin(id, attempt: 1))
            try await store.submit(piece(0))
            try await store.submit(piece(1))
        }
        var records: [SealedRecord] = []
        _ = try source.sealed(from: 1, through: .max, recordsMax: .max, bytesMax: .max) { record in
            records.append(record)
            return true
        }
        try await withStore { store in
            try await store.writingExclusively { try await store.importBatch(ImportBatch(records: records)) }
            #expect(store.present.state.done == ["x", "x"])
            #expect(try await store.commands().map(\.row.pieces) == [2])
        }
    }
}
