import ChronicleLog
import ChronicleTesting
import Testing

@Suite(.timeLimit(.minutes(15))) struct `A failing log` {
    let inner = InMemoryActionLog()
    let log: FailingLog

    init() { log = FailingLog(inner) }

    /// Appends a number of records in one flush.
    func append(_ count: Int = 1) throws(ActionLogError) {
        var flush = Flush(after: log.head)
        for _ in 0..<count {
            let sequence = flush.sequence + 1
            flush.stage(RecordHeader(sequence: sequence, time: Int64(sequence)), payload: [1, 2, 3])
        }
        try log.append(flush)
    }

    /// The sequences that a read returned before it ended.
    func read(
        from first: UInt64 = 1, through last: UInt64, recordsMax: Int = .max
    ) -> (lent: [UInt64], end: Result<UInt64, ActionLogError>) {
        var lent: [UInt64] = []
        let end = Result { () throws(ActionLogError) in
            try log.read(from: first, through: last, recordsMax: recordsMax, bytesMax: .max) { header, _ in
                lent.append(header.sequence)
                return true
            }
        }
        return (lent, end)
    }

    @Test func `a failing log equals its wrapped log until a test makes it fail`() throws {
        try append(2)
        try append()
        #expect(inner.head.sequence == 3)
        #expect(log.head == inner.head)
        #expect(read(through: 3).lent == [1, 2, 3])
        #expect(try log.sequence(atOrAfter: 2) == 2)
        #expect(try log.sequence(atOrBefore: 2) == 2)
        #expect(try log.checksum(of: 2) == inner.checksum(of: 2))
        #expect(try log.key("key", of: 0) == nil)
        #expect(try log.outbox().isEmpty)
        #expect(try log.storage() == inner.storage())
        try log.anchor()
        #expect(log.counts.appends == 2)
        #expect(log.counts.failures == 0)
        #expect(log.counts.flushes == [2, 1])
    }

    @Test func `the next appends fail, and nothing is written`() throws {
        log.failNext(2)
        #expect(throws: FailingLog.fullDisk) { try append() }
        #expect(throws: FailingLog.fullDisk) { try append() }
        #expect(inner.head.sequence == 0)
        try append()
        #expect(inner.head.sequence == 1)
        #expect(log.counts.appends == 3)
        #expect(log.counts.failures == 2)
        #expect(log.counts.flushes == [1])
    }

    @Test func `appends fail with the given errors in order`() {
        let full = ActionLogError.storageFull(.map, message: "full")
        log.failNext(with: full)
        log.failNext(with: .readersFull)
        #expect(throws: full) { try append() }
        #expect(throws: ActionLogError.readersFull) { try append() }
    }

    @Test func `every third append fails`() throws {
        try append()
        log.failEvery(3)
        try append()
        try append()
        #expect(throws: FailingLog.fullDisk) { try append() }
        try append()
        try append()
        #expect(throws: FailingLog.fullDisk) { try append() }
        log.mend()
        for _ in 0..<3 { try append() }
        #expect(log.counts.failures == 2)
        #expect(inner.head.sequence == 8)
    }

    @Test func `an append can fail after the flush was written, and all later ones as well`() throws {
        log.failNext(with: FailingLog.unknownOutcome, .after)
        #expect(throws: FailingLog.unknownOutcome) { try append() }
        #expect(inner.head.sequence == 1)
        #expect(throws: FailingLog.unknownOutcome) { try append() }
        #expect(inner.head.sequence == 1)
        log.mend()
        try append()
        #expect(inner.head.sequence == 2)
        #expect(log.counts.failures == 2)
        #expect(log.counts.flushes == [1, 1])
    }

    @Test func `the outcome can be unknown before anything was written`() throws {
        log.failNext(with: FailingLog.unknownOutcome)
        #expect(throws: FailingLog.unknownOutcome) { try append() }
        #expect(throws: FailingLog.unknownOutcome) { try append() }
        #expect(inner.head.sequence == 0)
    }

    @Test func `refusals of the wrapped log are counted`() throws {
        try append()
        let flush = Flush(after: inner.head)
        try append()
        var stale = flush
        stale.stage(RecordHeader(sequence: 2, time: 2), payload: [])
        #expect(throws: ActionLogError.self) { try log.append(stale) }
        #expect(log.counts.failures == 1)
    }

    @Test func `appends are held until they are released`() async throws {
        log.hold()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try append(2) }
            try await log.appending(1)
            #expect(inner.head.sequence == 0)
            #expect(log.counts.flushes.isEmpty)
            log.release()
            try await group.waitForAll()
        }
        #expect(inner.head.sequence == 2)
        try await log.appending(1)
        try append()
        #expect(inner.head.sequence == 3)
    }

    @Test func `a cancelled wait for an append ends`() async {
        await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await log.appending(1) }
            group.cancelAll()
            await #expect(throws: CancellationError.self) { try await group.next() }
        }
    }

    @Test func `a damaged log returns the records before the damage and then its position`() throws {
        try append(5)
        log.damage(3)
        let damaged = ActionLogError.damaged(sequence: 3, what: "the payload")
        #expect(read(through: 5).lent == [1, 2])
        #expect(read(through: 5).end == .failure(damaged))
        #expect(read(from: 3, through: 5).end == .failure(damaged))
        #expect(read(through: 2).end == .success(3))
        #expect(read(through: 5, recordsMax: 2).end == .success(3))
        #expect(read(from: 4, through: 5).lent == [4, 5])
        var folded = 0
        #expect(throws: damaged) {
            try log.fold(from: 1, through: 5) { _, _ in
                folded += 1
                return true
            }
        }
        #expect(folded == 2)
        #expect(try log.fold(from: 1, through: 5) { header, _ in header.sequence < 2 } == 3)
        log.mend()
        #expect(read(through: 5).lent == [1, 2, 3, 4, 5])
    }

    @Test func `a log can report little free space`() {
        #expect(log.headroom() == inner.headroom())
        log.pretend(FreeSpace(diskFreeBytes: 1))
        #expect(log.headroom().diskFreeBytes == 1)
        log.pretend(nil)
        #expect(log.headroom() == inner.headroom())
    }
}
