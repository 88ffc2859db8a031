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
    func `every record of a causal tree gets the same tree`(sequence: UInt64) async throws {
        let why = try await log().history.why(sequence)
        #expect(why.sequence == sequence)
        #expect(!why.isCut)
        #expect(why.roots == [1, 2])
        #expect(why.records.prefix(2).map(\.header.key) == ["k", "k"])
        #expect(why.records[1].header.commands.map(\.name) == ["diary.open", "diary.fetch"])
        #expect(why.fates(of: 2) == [.presentational, .ended])
        let results = why.results(of: CommandID(sequence: 2, index: 1))
        #expect(results.map(\.header.sequence) == [4, 5])
        #expect(results.map(\.action) == [.brought("bottle"), .ask("cheese")])
        #expect(why.fates(of: 5).last == .ended)
        let further = why.results(of: CommandID(sequence: 5, index: 1))
        #expect(further.map(\.header.kind) == [.end])
        #expect(further.first?.action == nil)
        #expect(why.records.map(\.header.sequence) == [1, 2, 4, 5, 6])
    }

    @Test func `an open command has its row, a cancellation has none`() async throws {
        let history = try log().history
        let open = try await history.why(7)
        guard case .open(let row)? = open.fates(of: 7).last else {
            Issue.record("the command is not open")
            return
        }
        #expect(row.id == CommandID(sequence: 7, index: 1))
        let cancellation = try await history.why(8)
        #expect(cancellation.fates(of: 8) == [.without])
        let alone = try await history.why(3)
        #expect(alone.roots == [3])
        #expect(alone.records.map(\.header.origin) == [1001])
    }

    @Test func `a moment without a record has no causal tree`() async throws {
        let history = try log().history
        await #expect(throws: StoreError.pruned(base: 0)) { try await history.why(0) }
        await #expect(throws: StoreError.futureSequence(head: 8)) { try await history.why(9) }
    }

    @Test func `a causal tree that is too large is truncated`() async throws {
        let log = DiaryLog()
        try log.append([.init(action: .ask("a"))])
        for _ in 0..<1_100 { try log.append([.init(action: .note("x"), cause: CommandID(sequence: 1, index: 1), step: 1)]) }
        let why = try await log.history.why(500)
        #expect(why.isCut)
        #expect(why.results(of: CommandID(sequence: 1, index: 1)).count == 999)
    }

    @Test(arguments: [1, 300, 700] as [UInt64])
    func `all records of a large dispatch are included`(sequence: UInt64) async throws {
        let log = DiaryLog()
        try log.append((0..<700).map { _ in .init(action: .note("x"), step: 1, key: "k") })
        try log.append([.init(action: .note("other"))])
        let why = try await log.history.why(sequence)
        #expect(why.roots == Array(1...700))
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
        #expect(why.roots.contains(sequence))
        #expect(why.isCut)
    }
}

extension Explanation {
    fileprivate func fates(of sequence: UInt64) -> [Fate] { fates.filter { $0.id.sequence == sequence }.map { $0.fate } }

    fileprivate func results(of command: CommandID) -> [LoggedRecord<App>] { records.filter { $0.header.cause == command } }
}
