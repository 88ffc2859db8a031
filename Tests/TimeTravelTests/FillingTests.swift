import DiskLog
import FeatureApp
import FeatureCounter
import FeatureTodos
import Fields
import Records
import StoreRuntime
import TestSupport
import Testing
import TimeTravel

@Suite struct FillingTests {
    @Test func `gaps are filled once, and no state is then a long fold away`() async throws {
        try await withTemporaryDirectory { directory in
            let log = try LMDBActionLog.open(directory: directory, configuration: LogConfiguration(mapBytes: 256 << 20))
            for _ in 0..<20 {
                var flush = Flush(after: log.head)
                for _ in 0..<5_000 {
                    let sequence = flush.sequence + 1
                    flush.stage(RecordHeader(sequence: sequence, time: Int64(sequence), step: sequence)) {
                        App.Action.counter(.increment).encode(into: &$0)
                    }
                }
                try log.append(flush)
            }
            let history = SnapshotStore(directory: directory).history
            let sample = SampleLog(log)
            try history.write(
                Snapshot(sequence: 90_000, checksum: 1, epoch: 1, time: 1, fingerprint: "older", state: []), budgetBytes: .max)
            #expect(try await sample.history(directory).fillGaps() == 12)
            #expect(history.sequences() == (1...12).map { $0 * 8_192 })
            #expect(try await sample.history(directory).fillGaps() == 0)
            history.remove(32_768)
            #expect(try await sample.history(directory).fillGaps() == 0)
            for middle in 2...10 as ClosedRange<UInt64> { history.remove(middle * 8_192) }
            #expect(try await sample.history(directory).fillGaps() == 9)
            for sequence in [8_191, 8_192, 8_193, 99_999, 50_000] as [UInt64] {
                let past = try await sample.history(directory).state(at: .sequence(sequence))
                #expect(past.state.counter.count == Int64(sequence))
                #expect(past.folded < 8_192)
            }
            #expect(try await sample.history(directory).verify().damages == [])
        }
    }
}
