import Chronicle
import ChronicleLog
import ChronicleStore
import DiskLog
import FeatureApp
import FeatureCounter
import FeatureTodos
import TestSupport
import Testing
import TimeTravel

@Suite struct FillingTests {
    @Test func `gaps between snapshots are filled once, and no state is then a long fold away`() async throws {
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
            #expect(try await sample.history(directory).fillGaps() == 1)
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

    @Test func `if todos come and go, every state equals a fold from the beginning`() async throws {
        try await withTemporaryDirectory { directory in
            let log = try LMDBActionLog.open(directory: directory, configuration: LogConfiguration(mapBytes: 256 << 20))
            var (state, states, flush) = (App.State(), [UInt64: App.State](), Flush(after: log.head))
            for number in 1...20_000 as ClosedRange<UInt64> {
                let (sequence, turn) = (flush.sequence + 1, Int(number % 300))
                let ids = state.todos.items.count > 200 ? state.todos.items.id(at: turn % 200).map { [$0] } ?? [] : []
                let action: App.Action =
                    switch (ids.first, number % 4) {
                    case (let id?, 0): .todos(.remove(id))
                    case (let id?, 1): .todos(.move(id, to: turn))
                    case (let id?, 2): .todos(.complete(id))
                    default:
                        .todos(
                            .add([Todo(id: number, title: "Buy \(number) eggs", note: turn < 9 ? "Of today" : "", created: 1)]))
                    }
                let header = RecordHeader(sequence: sequence, time: Int64(sequence), step: sequence)
                _ = App.reduce(&state, action, Context(time: header.time, origin: header.origin))
                flush.stage(header) { action.encode(into: &$0) }
                if sequence % 1_111 == 0 { states[sequence] = state }
            }
            try log.append(flush)
            let history = SampleLog(log).history(directory)
            #expect(try await history.fillGaps() == 2)
            for (sequence, state) in states.shuffled() {
                let past = try await history.state(at: .sequence(sequence))
                #expect(past.state == state && past.folded < 8_192)
                #expect(past.state.canonicalBytes == state.canonicalBytes)
            }
            #expect(history.work.decoded > 0)
            #expect(try await history.verify().damages == [])
            let kept = try #require(SnapshotStore(directory: directory).history.places().first)
            #expect(UInt64(kept.bytes) < SnapshotStore(directory: directory).stateBytes(of: kept.sequence) / 2)
        }
    }

    @Test(.timeLimit(.minutes(15))) func `a growing log is checked for gaps between snapshots`() async throws {
        try await withTemporaryDirectory { directory in
            let log = try LMDBActionLog.open(directory: directory, configuration: LogConfiguration(mapBytes: 256 << 20))
            let history = History<App>(
                log, snapshots: SnapshotStore(directory: directory, runRecords: 8_192), fingerprint: "code",
                base: PastState(state: App.State()))
            var flush = Flush(after: log.head)
            for sequence in 1...13_000 as ClosedRange<UInt64> {
                flush.stage(RecordHeader(sequence: sequence, time: Int64(sequence), step: sequence)) {
                    App.Action.counter(.increment).encode(into: &$0)
                }
            }
            try log.append(flush)
            #expect(try await history.indexPaths() == 13_000)
            var gaps = history.gaps.makeAsyncIterator()
            #expect(await gaps.next() != nil)
            #expect(try await history.fillGaps() == 1)
        }
    }
}
