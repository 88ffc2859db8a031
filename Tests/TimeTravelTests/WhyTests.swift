import Chronicle
import ChronicleLog
import ChronicleStore
import Testing
import TimeTravel

@Suite struct WhyTests {
    // 1: request milk, with an open page and a fetch; 2: unrelated; 3: the result, followed by a second event that requested
    // more; 5: a failure of that; 6: a fetch that is still open; 7: a cancellation.
    private func log() throws -> DiaryLog {
        let log = DiaryLog()
        try log.append([.init(action: .note("first"), key: "k"), .init(action: .ask("milk"), step: 1, key: "k")])
        try log.append([.init(action: .note("other"), origin: 1001)])
        try log.append([
            .init(kind: .end, action: .brought("bottle"), cause: CommandID(sequence: 2, index: 1), step: 1),
            .init(action: .ask("cheese"), cause: CommandID(sequence: 2, index: 1), step: 1),
        ])
        try log.append([.init(kind: .end, action: nil, cause: CommandID(sequence: 5, index: 1), step: 1)])
        try log.append([.init(action: .ask("bread"))])
        try log.append([.init(action: .ask("stop"))])
        return log
    }

    @Test(arguments: [1, 2, 4, 5, 6] as [UInt64])
    func `every record of a family has the same tree`(sequence: UInt64) async throws {
        let why = try await log().history.why(sequence)
        #expect(why.sequence == sequence)
        #expect(!why.isCut)
        #expect(why.roots.map(\.record.header.sequence) == [1, 2])
        #expect(why.roots.map(\.record.header.key) == ["k", "k"])
        let ask = try #require(why.roots.last)
        #expect(ask.commands.map(\.call.name) == ["diary.open", "diary.fetch"])
        #expect(ask.commands.map(\.fate) == [.presentational, .ended])
        let fetch = try #require(ask.commands.last)
        #expect(fetch.results.map(\.record.header.sequence) == [4, 5])
        #expect(fetch.results.map(\.record.action) == [.brought("bottle"), .ask("cheese")])
        let further = try #require(fetch.results.last?.commands.last)
        #expect(further.id == CommandID(sequence: 5, index: 1))
        #expect(further.fate == .ended)
        #expect(further.results.map(\.record.header.kind) == [.end])
        #expect(further.results.first?.record.action == nil)
    }

    @Test func `an open command has its row, a cancellation has none`() async throws {
        let history = try log().history
        let open = try await history.why(7)
        let fetch = try #require(open.roots.first?.commands.last)
        guard case .open(let row) = fetch.fate else {
            Issue.record("the command is open, not \(fetch.fate)")
            return
        }
        #expect(row.id == CommandID(sequence: 7, index: 1))
        let cancellation = try await history.why(8)
        #expect(cancellation.roots.first?.commands.map(\.fate) == [.without])
        let alone = try await history.why(3)
        #expect(alone.roots.map(\.record.header.sequence) == [3])
        #expect(alone.roots.first?.record.header.origin == 1001)
    }

    @Test func `a moment without a record has no tree of causes`() async throws {
        let history = try log().history
        await #expect(throws: StoreError.pruned(base: 0)) { try await history.why(0) }
        await #expect(throws: StoreError.futureSequence(head: 8)) { try await history.why(9) }
    }

    @Test func `a family that is too large is truncated`() async throws {
        let log = DiaryLog()
        try log.append([.init(action: .ask("a"))])
        for _ in 0..<1_100 { try log.append([.init(action: .note("x"), cause: CommandID(sequence: 1, index: 1), step: 1)]) }
        let why = try await log.history.why(500)
        #expect(why.isCut)
        #expect(why.roots.first?.commands.last?.results.count == 999)
    }

    @Test(arguments: [1, 300, 700] as [UInt64])
    func `all records of a large dispatch are included`(sequence: UInt64) async throws {
        let log = DiaryLog()
        try log.append((0..<700).map { _ in .init(action: .note("x"), step: 1, key: "k") })
        try log.append([.init(action: .note("other"))])
        let why = try await log.history.why(sequence)
        #expect(why.roots.map(\.record.header.sequence) == Array(1...700))
        #expect(!why.isCut)
    }

    @Test(arguments: [1, 1_200, 2_000] as [UInt64])
    func `a dispatch that is too large is marked as truncated and includes the requested record`(
        sequence: UInt64
    ) async throws {
        let log = DiaryLog()
        try log.append((0..<2_000).map { _ in .init(action: .note("x"), step: 1, key: "k") })
        let why = try await log.history.why(sequence)
        #expect(why.roots.count <= HistoryLimits.answersMax && why.roots.count > 500)
        #expect(why.roots.contains { $0.record.header.sequence == sequence })
        #expect(why.isCut)
    }
}
