import Chronicle
import ChronicleLog
import Testing

@testable import ChronicleStore

private let noon: Int64 = 1_800_000_000_000_000
private let extremeTimes: [Int64] = [.min, .min + 1, -1, 0, 1, noon, noon + 1, .max - 1, .max]
private let extremeCounts: [UInt64] = [0, 1, 2, 3, 1 << 31, 1 << 53, UInt64(Int64.max), .max - 1, .max]

@Suite struct ExtremeNumberTests {
    private static let now = noon
    private static let clock = StoreClock(wall: { noon }, boot: { 0 })

    /// A log whose records were imported without checks.
    private func log(_ headers: RecordHeader...) throws -> InMemoryActionLog {
        let log = InMemoryActionLog()
        var flush = Flush(after: log.head)
        for header in headers { flush.stage(header) { Tally.Action.add(1).encode(into: &$0) } }
        try log.append(flush)
        return log
    }

    private func times(of log: any ActionLog) throws -> [Int64] {
        var times: [Int64] = []
        _ = try log.read(from: 1, through: .max) { header, _ in
            times.append(header.time)
            return true
        }
        return times
    }

    @Test(arguments: extremeTimes) func `a log that ends at any time continues, and again after the next start`(time: Int64)
        async throws
    {
        let log = try log(RecordHeader(sequence: 1, time: time))
        for _ in 0..<2 {
            let store = try Store.open(log, clock: Self.clock)
            _ = try await store.dispatch(Dispatch([.twice(1), .ask("why")], origin: 1))
            try await store.set(Bookmark(name: "here", sequence: 1), by: 1)
            await store.stop()
        }
        let times = try times(of: log)
        #expect(times.count == 9)
        for (before, after) in zip(times, times.dropFirst()) { #expect(after > before || before == .max && after == .max) }
    }

    @Test func `records after the maximum time have that time, and keep the clock's time beside it`() async throws {
        let log = try log(RecordHeader(sequence: 1, time: .max - 1))
        let store = try Store.open(log, clock: Self.clock)
        _ = try await store.dispatch(Dispatch([.twice(1)], origin: 1))
        await store.stop()
        var raw: [Int64?] = []
        _ = try log.read(from: 2, through: 3) { header, _ in
            raw.append(header.rawTime)
            return true
        }
        #expect(try times(of: log) == [.max - 1, .max, .max] && raw == [Self.now, Self.now])
        #expect(try log.sequence(atOrAfter: .max) == 2 && log.sequence(atOrBefore: .max) == 3)
    }

    @Test func `an import with extreme numbers is refused, or the log continues after it`() async throws {
        for time in extremeTimes {
            for count in extremeCounts {
                let header = RecordHeader(
                    sequence: 1, time: time, rawTime: time &+ Int64.max, origin: .max, step: count,
                    cause: CommandID(sequence: count, index: .max), undoes: count, build: .max, due: time)
                let source = try log(header)
                let sealed = try source.sealed(1)
                let row = OutboxRow(
                    id: CommandID(sequence: 1, index: 0), call: CommandCall(name: "x"),
                    attempts: UInt32(truncatingIfNeeded: count), due: time)
                let log = InMemoryActionLog()
                let store = try Store.open(log, clock: Self.clock)
                try? await store.importBatch(ImportBatch(records: [sealed], outbox: [row]))
                let isTaken = store.present.sequence == 1
                #expect(
                    isTaken
                        == (ImportLimits.objection(to: header, at: Self.now) == nil
                            && ImportLimits.objection(to: row, at: Self.now) == nil))
                _ = try await store.dispatch(Dispatch([.twice(1)], origin: 1))
                await store.stop()
                #expect(try times(of: log).allSatisfy { $0 <= Self.now + ImportLimits.timeAheadMicrosecondsMax + 9 })
            }
        }
    }

    @Test func `the time of an imported record may be at most a day ahead of the clock`() {
        let day = ImportLimits.timeAheadMicrosecondsMax
        func objection(_ time: Int64) -> String? {
            ImportLimits.objection(to: RecordHeader(sequence: 1, time: time), at: Self.now)
        }
        #expect(objection(Self.now + day) == nil && objection(1) == nil)
        #expect(objection(Self.now + day + 1) != nil && objection(0) != nil)
    }

    @Test func `a record can only undo a step before its own`() {
        for (undoes, isFine) in [(4, true), (5, false), (6, false)] as [(UInt64, Bool)] {
            var header = RecordHeader(sequence: 7, time: Self.now, step: 5)
            header.undoes = undoes
            #expect((ImportLimits.objection(to: header, at: Self.now) == nil) == isFine)
        }
    }

    @Test func `a log that begins at the maximum sequence continues, and a later beginning is refused`() async throws {
        let last: UInt64 = ImportLimits.sequenceMax
        let store = try Store.open(InMemoryActionLog(), clock: Self.clock)
        for sequence: UInt64 in [last + 1, UInt64.max] {
            let refused: StoreError? = await error { () async throws(StoreError) in
                try await store.importBatch(ImportBatch(base: beginning(at: sequence)))
            }
            #expect(refused?.damagedSequence == sequence)
            #expect(store.present.sequence == 0)
        }
        try await store.importBatch(ImportBatch(base: beginning(at: last)))
        let added = try await store.dispatch(Dispatch([.twice(1)], origin: 1))
        #expect(added.sequences.lowerBound == last + 1)
        #expect(added.sequences.count == 2)
        await store.stop()
        let header = RecordHeader(sequence: last + 1, time: Self.now)
        #expect(ImportLimits.objection(to: header, at: Self.now) != nil)
    }

    private func beginning(at sequence: UInt64) -> BaseRow {
        let base = Base(sequence: sequence, checksum: 9, time: Self.now, archive: nil)
        return BaseRow(base: base, state: Tally.State(sum: 5).canonicalBytes)
    }

    private func error(_ body: () async throws(StoreError) -> Void) async -> StoreError? {
        do throws(StoreError) { try await body() } catch { return error }
        return nil
    }

    @Test func `durations are converted to whole microseconds and saturate`() {
        #expect(Duration.seconds(Int64.max).microseconds == .max && Duration.seconds(Int64.min).microseconds == .min)
        #expect(Duration.microseconds(-7).microseconds == -7)
    }

    @Test func `an attempt counter at its maximum saturates and the command still ends`() async throws {
        let log = InMemoryActionLog()
        var flush = Flush(after: log.head)
        let call = CommandCall(Tally.Command.fetch("x"))
        let header = RecordHeader(sequence: 1, time: 1, commands: [call])
        flush.stage(header) { Tally.Action.ask("x").encode(into: &$0) }
        flush.add(OutboxRow(id: CommandID(sequence: 1, index: 0), call: call, attempts: .max, due: .min, depth: .max))
        try log.append(flush)
        let store = try Store.open(log, clock: Self.clock)
        try await store.submit(.begin(CommandID(sequence: 1, index: 0), attempt: 1))
        #expect(try log.outbox().map(\.attempts) == [.max])
        try await store.submit(.end(CommandID(sequence: 1, index: 0), .ask("y")))
        #expect(try log.outbox().map(\.id.sequence) == [2])
        await store.stop()
    }
}

extension StoreError {
    /// The sequence of a damaged record, or of a record that no log can have.
    fileprivate var damagedSequence: UInt64? {
        if case .damaged(let sequence, _) = self { sequence } else { nil }
    }
}
