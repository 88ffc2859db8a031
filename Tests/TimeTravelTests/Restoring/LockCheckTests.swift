import ChronicleLog
import ChronicleStore
import Testing
import TimeTravel

@Suite struct LockCheckTests {
    private func damages(_ change: (inout Flush) -> Void) async throws -> [Verification.Damage] {
        let sample = try SampleLog.random(3, records: 20)
        var flush = Flush(after: sample.log.head)
        change(&flush)
        try sample.log.append(flush)
        return try await sample.history().verify().damages
    }

    private func header(_ kind: RecordKind, after flush: Flush) -> RecordHeader {
        RecordHeader(kind: kind, sequence: flush.sequence + 1, time: flush.time + 1, origin: 1000, step: flush.sequence + 1)
    }

    @Test func `a lock in the head row without a record is reported, and one with a record is accepted`() async throws {
        let unknown = try await damages { $0.headChange.lock = .lock(Lock(reason: "moving", origin: 1000, record: 7)) }
        #expect(unknown.map(\.kind) == [.head] && unknown.first?.sequence == 7)
        let known = try await damages { flush in
            let header = header(.lock, after: flush)
            flush.stage(header) { Lock(reason: "moving").encode(into: &$0) }
            flush.headChange.lock = .lock(Lock(reason: "moving", origin: 1000, record: header.sequence))
        }
        #expect(known == [])
    }

    @Test func `a head row that lacks the lock of a record, or keeps a released lock, is reported`() async throws {
        let lost = try await damages { flush in
            flush.stage(header(.lock, after: flush)) { Lock(reason: "moving").encode(into: &$0) }
        }
        #expect(lost.map(\.kind) == [.head] && lost.first?.what.contains("locked by record") == true)
        let imported = try await damages { flush in
            flush.stage(header(.lock, after: flush)) { Lock(reason: "moving").encode(into: &$0) }
            flush.headChange.importedThrough = flush.sequence
        }
        #expect(imported == [])
        let stays = try await damages { flush in
            let record = header(.lock, after: flush)
            flush.stage(record) { Lock(reason: "moving").encode(into: &$0) }
            flush.stage(header(.unlock, after: flush), payload: [])
            flush.headChange.lock = .lock(Lock(reason: "moving", origin: 1000, record: record.sequence))
        }
        #expect(stays.map(\.kind) == [.head])
    }
}
