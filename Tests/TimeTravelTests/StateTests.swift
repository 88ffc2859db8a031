import Chronicle
import ChronicleLog
import ChronicleStore
import ChronicleTesting
import DiskLog
import FeatureApp
import FeatureCounter
import FeatureTodos
import Glibc
import TestSupport
import Testing
import TimeTravel

@Suite struct StateTests {
    @Test func `the state at every moment is the one that was live then`() async throws {
        for seed in 0..<5 as Range<UInt64> {
            let sample = try SampleLog.random(seed, records: 60)
            let history = sample.history()
            var dice = SeededGenerator(~seed)
            for sequence in Array(0...sample.head).shuffled(using: &dice) {
                let past = try await history.state(at: .sequence(sequence))
                #expect(past.state == sample.states[Int(sequence)])
                #expect(past.sequence == sequence)
                #expect(past.time == (sequence == 0 ? 0 : sample.headers[Int(sequence) - 1].time))
            }
        }
    }

    @Test func `past states are the same after a restart, with any kind of snapshots or none`() async throws {
        try await withTemporaryDirectory { directory in
            var sample = try SampleLog.random(
                7, records: 200, in: try LMDBActionLog.open(directory: directory, configuration: .small))
            for sequence in [20, 40, 41, 100, 199] as [UInt64] { try sample.leaveSnapshot(at: sequence, in: directory) }
            try sample.leaveSnapshot(at: 120, in: directory, fingerprint: "other", state: App.State())
            try await check(sample, directory, foldedMost: 98)

            sample = try reopened(sample, directory)
            try await check(sample, directory, foldedMost: 98)
            let files = SnapshotStore(directory: directory)
            #expect(files.history.sequences() == [20, 40, 41, 100, 120, 199])

            // A truncated one is skipped.
            try tear("\(directory)/travel/snapshot-00000000000000000100")
            try await check(sample, directory, foldedMost: 157)
            files.removeAll(from: 41)
            try await check(sample, directory, foldedMost: sample.head - 40)
            files.removeAll(from: 0)
            try await check(sample, directory, foldedMost: sample.head)
        }
    }

    @Test func `a state near a snapshot is folded from it, and the state at a snapshot needs no fold`() async throws {
        try await withTemporaryDirectory { directory in
            let log = try LMDBActionLog.open(directory: directory, configuration: .small)
            let sample = try SampleLog.random(3, records: 100, in: log)
            try sample.leaveSnapshot(at: 50, in: directory)
            for (sequence, folded) in [(49, 49), (50, 0), (51, 1)] as [(UInt64, UInt64)] {
                let past = try await sample.history(directory).state(at: .sequence(sequence))
                #expect(past.folded == folded)
                #expect(past.state == sample.states[Int(sequence)])
            }
        }
    }

    @Test func `a snapshot of another log is not used`() async throws {
        try await withTemporaryDirectory { directory in
            let sample = try SampleLog.random(1, records: 30)
            let other = try SampleLog.random(2, records: 30)
            try other.leaveSnapshot(at: 20, in: directory)
            #expect(try await sample.history(directory).state(at: .sequence(25)).state == sample.states[25])
        }
    }

    @Test func `a requested state is kept as the start of later folds`() async throws {
        let sample = try SampleLog.random(4, records: 100)
        let history = sample.history()
        #expect(try await history.state(at: .sequence(90)).folded == 90)
        #expect(try await history.state(at: .sequence(90)).folded == 0)
        #expect(try await history.state(at: .sequence(95)).folded == 5)
        history.forget()
        #expect(try await history.state(at: .sequence(95)).folded == 95)
    }

    @Test func `the neighbours of a large state are folded from it, without reading a snapshot for each`() async throws {
        try await withTemporaryDirectory { directory in
            var sample = SampleLog(try LMDBActionLog.open(directory: directory, configuration: .init(mapBytes: 64 << 20)))
            let long = Todo(title: "Milk", note: String(repeating: "x", count: 2_000))
            for _ in 0..<25 { try sample.dispatch([.todos(.add(Array(repeating: long, count: 100)))]) }
            for _ in 0..<60 { try sample.dispatch([.counter(.increment)]) }
            #expect(sample.state.canonicalBytes.count > HistoryLimits.pastBytesMax)
            try sample.leaveSnapshot(at: 25, in: directory)
            let history = sample.history(directory)
            for sequence in Array(30...60) + Array((30...59).reversed()) as [UInt64] {
                let past = try await history.state(at: .sequence(sequence))
                #expect(past.state.counter.count == Int64(sequence) - 25)
            }
            for sequence in 31...60 as ClosedRange<UInt64> {
                let difference = try await history.diff(.sequence(sequence - 1), .sequence(sequence))
                #expect(difference.changes.map(\.new) == [["count": .int(Int64(sequence) - 25)]])
            }
            #expect(history.work.decoded <= 3)
            #expect(history.work.folded < 1_500)
        }
    }

    @Test func `a large state that is no longer requested is evicted by others`() async throws {
        try await withTemporaryDirectory { directory in
            var sample = SampleLog(try LMDBActionLog.open(directory: directory, configuration: .init(mapBytes: 64 << 20)))
            let long = Todo(title: "Milk", note: String(repeating: "x", count: 2_000))
            for _ in 0..<25 { try sample.dispatch([.todos(.add(Array(repeating: long, count: 100)))]) }
            for sequence in [21, 22, 23, 24, 25] as [UInt64] { try sample.leaveSnapshot(at: sequence, in: directory) }
            let history = sample.history(directory)
            for sequence in [25, 24, 23, 22, 21] as [UInt64] { _ = try await history.state(at: .sequence(sequence)) }
            #expect(history.work.decoded == 5)
            // Each state was decoded from its own snapshot, so only the last one is kept.
            #expect(try await history.state(at: .sequence(21)).folded == 0)
            #expect(try await history.state(at: .sequence(25)).folded == 4)
            #expect(history.work.decoded == 5)
        }
    }

    @Test func `a base is the beginning of the history, and earlier moments are pruned`() async throws {
        let sample = try SampleLog.random(5, records: 60)
        let base = PastState<App>(sequence: 20, time: sample.headers[19].time, state: sample.states[20])
        let history = History(sample.log, snapshots: nil, fingerprint: "code", base: base)
        #expect(try await history.state(at: .start).state == sample.states[20])
        #expect(try await history.state(at: .sequence(21)).state == sample.states[21])
        #expect(try await history.state(at: .now).state == sample.state)
        await #expect(throws: StoreError.pruned(base: 20)) { try await history.state(at: .sequence(19)) }
        await #expect(throws: StoreError.pruned(base: 20)) { try await history.state(at: .back(sample.head - 19)) }
        #expect(try await history.state(at: .back(sample.head - 20)).state == sample.states[20])
    }

    @Test func `states from a damaged record on are not served, and those before it are`() async throws {
        let sample = try SampleLog.random(6, records: 60)
        let log = FailingLog(sample.log)
        log.damage(31)
        let history = History(log, snapshots: nil, fingerprint: "code", base: PastState<App>(state: App.State()))
        #expect(try await history.state(at: .sequence(30)).state == sample.states[30])
        await #expect(throws: StoreError.damaged(sequence: 31, what: "the payload")) {
            try await history.state(at: .sequence(31))
        }
    }

    private func check(_ sample: SampleLog, _ directory: String, foldedMost: UInt64) async throws {
        let queries = QueryThread()
        var most: UInt64 = 0
        for sequence in stride(from: 0, through: sample.head, by: 1) {
            // Each history has its own cache.
            let past = try await sample.history(directory, queries: queries).state(at: .sequence(sequence))
            #expect(past.state == sample.states[Int(sequence)], "\(sequence)")
            most = max(most, past.folded)
        }
        #expect(most <= foldedMost)
    }

    private func reopened(_ sample: SampleLog, _ directory: String) throws -> SampleLog {
        // Another environment of the same files, as after a restart. From here on the first one is only read.
        let log = try LMDBActionLog.openReadOnly(directory: directory, configuration: .small)
        var reopened = SampleLog(log)
        reopened.states = sample.states
        reopened.headers = sample.headers
        reopened.actions = sample.actions
        return reopened
    }
}

extension LogConfiguration {
    static let small = LogConfiguration(mapBytes: 16 << 20)
}

/// Removes the last byte of a file.
func tear(_ path: String) throws {
    var status = stat()
    #expect(stat(path, &status) == 0)
    #expect(truncate(path, status.st_size - 1) == 0)
}
