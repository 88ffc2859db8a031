import Fields
import ActionCoding
import TestSupport
import ActionLogs
import DiskLog
import AppFeature
import CounterFeature
import Glibc
import Reducing
import StoreRuntime
import StoreTesting
import TestSupport
import Testing
import TimeTravel
import TodosFeature

@Suite struct StateTests {
    @Test func `the state at every moment is the one that was live then`() async throws {
        for seed in 0..<5 as Range<UInt64> {
            let history = try History.random(seed, records: 60)
            let timeline = history.timeline()
            var dice = SeededGenerator(~seed)
            for sequence in Array(0...history.head).shuffled(using: &dice) {
                let past = try await timeline.state(at: .sequence(sequence))
                #expect(past.state == history.states[Int(sequence)])
                #expect(past.sequence == sequence)
                #expect(past.time == (sequence == 0 ? 0 : history.headers[Int(sequence) - 1].time))
            }
        }
    }

    @Test func `also after a restart, with snapshots, without them, and with those of other code`() async throws {
        try await withTemporaryDirectory { directory in
            var history = try History.random(
                7, records: 200, in: try LMDBActionLog.open(directory: directory, configuration: .small))
            for sequence in [20, 40, 41, 100, 199] as [UInt64] { try history.leaveSnapshot(at: sequence, in: directory) }
            try history.leaveSnapshot(at: 120, in: directory, fingerprint: "other", state: App.State())
            try await check(history, directory, foldedMost: 98)

            history = try reopened(history, directory)
            try await check(history, directory, foldedMost: 98)
            let travel = SnapshotStore(directory: directory).travel
            #expect(travel.sequences() == [20, 40, 41, 100, 120, 199])

            // One that is torn is passed over.
            try tear("\(directory)/travel/snapshot-00000000000000000100")
            try await check(history, directory, foldedMost: 157)
            travel.removeAll(from: 41)
            try await check(history, directory, foldedMost: history.head - 40)
            travel.removeAll(from: 0)
            try await check(history, directory, foldedMost: history.head)
        }
    }

    @Test func `a state around each snapshot needs a fold from it, and none at it`() async throws {
        try await withTemporaryDirectory { directory in
            let log = try LMDBActionLog.open(directory: directory, configuration: .small)
            let history = try History.random(3, records: 100, in: log)
            try history.leaveSnapshot(at: 50, in: directory)
            for (sequence, folded) in [(49, 49), (50, 0), (51, 1)] as [(UInt64, UInt64)] {
                let past = try await history.timeline(directory).state(at: .sequence(sequence))
                #expect(past.folded == folded)
                #expect(past.state == history.states[Int(sequence)])
            }
        }
    }

    @Test func `a snapshot of another log is not believed`() async throws {
        try await withTemporaryDirectory { directory in
            let history = try History.random(1, records: 30)
            let other = try History.random(2, records: 30)
            try other.leaveSnapshot(at: 20, in: directory)
            #expect(try await history.timeline(directory).state(at: .sequence(25)).state == history.states[25])
        }
    }

    @Test func `a state that was asked for is gone on from`() async throws {
        let history = try History.random(4, records: 100)
        let timeline = history.timeline()
        #expect(try await timeline.state(at: .sequence(90)).folded == 90)
        #expect(try await timeline.state(at: .sequence(90)).folded == 0)
        #expect(try await timeline.state(at: .sequence(95)).folded == 5)
        timeline.forget()
        #expect(try await timeline.state(at: .sequence(95)).folded == 95)
    }

    @Test func `the neighbours of a large state are folded from it, and no snapshot is read for each`() async throws {
        try await withTemporaryDirectory { directory in
            var history = History(try LMDBActionLog.open(directory: directory, configuration: .init(mapBytes: 64 << 20)))
            let long = Todo(title: "Milk", note: String(repeating: "x", count: 2_000))
            for _ in 0..<25 { try history.dispatch([.todos(.add(Array(repeating: long, count: 100)))]) }
            for _ in 0..<60 { try history.dispatch([.counter(.increment)]) }
            #expect(history.state.canonicalBytes.count > TravelLimits.pastBytesMax)
            try history.leaveSnapshot(at: 25, in: directory)
            let timeline = history.timeline(directory)
            for sequence in Array(30...60) + Array((30...59).reversed()) as [UInt64] {
                let past = try await timeline.state(at: .sequence(sequence))
                #expect(past.state.counter.count == Int64(sequence) - 25)
            }
            for sequence in 31...60 as ClosedRange<UInt64> {
                let difference = try await timeline.diff(.sequence(sequence - 1), .sequence(sequence))
                #expect(difference.changes.map(\.new) == [["count": .int(Int64(sequence) - 25)]])
            }
            #expect(timeline.work.decoded <= 3)
            #expect(timeline.work.folded < 1_500)
        }
    }

    @Test func `a large state that nobody asks for any more makes room for others`() async throws {
        try await withTemporaryDirectory { directory in
            var history = History(try LMDBActionLog.open(directory: directory, configuration: .init(mapBytes: 64 << 20)))
            let long = Todo(title: "Milk", note: String(repeating: "x", count: 2_000))
            for _ in 0..<25 { try history.dispatch([.todos(.add(Array(repeating: long, count: 100)))]) }
            for sequence in [21, 22, 23, 24, 25] as [UInt64] { try history.leaveSnapshot(at: sequence, in: directory) }
            let timeline = history.timeline(directory)
            for sequence in [25, 24, 23, 22, 21] as [UInt64] { _ = try await timeline.state(at: .sequence(sequence)) }
            #expect(timeline.work.decoded == 5)
            // Each was decoded by itself, so only the last one is kept.
            #expect(try await timeline.state(at: .sequence(21)).folded == 0)
            #expect(try await timeline.state(at: .sequence(25)).folded == 4)
            #expect(timeline.work.decoded == 5)
        }
    }

    @Test func `a base stands for what was before it`() async throws {
        let history = try History.random(5, records: 60)
        let base = Past<App>(sequence: 20, time: history.headers[19].time, state: history.states[20])
        let timeline = Timeline(history.log, snapshots: nil, fingerprint: "code", base: base)
        #expect(try await timeline.state(at: .start).state == history.states[20])
        #expect(try await timeline.state(at: .sequence(21)).state == history.states[21])
        #expect(try await timeline.state(at: .now).state == history.state)
        await #expect(throws: TravelError.pruned(base: 20)) { try await timeline.state(at: .sequence(19)) }
        await #expect(throws: TravelError.pruned(base: 20)) { try await timeline.state(at: .back(history.head - 19)) }
        #expect(try await timeline.state(at: .back(history.head - 20)).state == history.states[20])
    }

    @Test func `a record behind damage is not served, the states before it are`() async throws {
        let history = try History.random(6, records: 60)
        let log = FailingLog(history.log)
        log.damage(31)
        let timeline = Timeline(log, snapshots: nil, fingerprint: "code", base: Past<App>(state: App.State()))
        #expect(try await timeline.state(at: .sequence(30)).state == history.states[30])
        await #expect(throws: TravelError.damaged(sequence: 31, what: "the payload")) {
            try await timeline.state(at: .sequence(31))
        }
    }

    private func check(_ history: History, _ directory: String, foldedMost: UInt64) async throws {
        let queries = QueryThread()
        var most: UInt64 = 0
        for sequence in stride(from: 0, through: history.head, by: 1) {
            // A timeline of its own remembers nothing.
            let past = try await history.timeline(directory, queries: queries).state(at: .sequence(sequence))
            #expect(past.state == history.states[Int(sequence)], "\(sequence)")
            most = max(most, past.folded)
        }
        #expect(most <= foldedMost)
    }

    private func reopened(_ history: History, _ directory: String) throws -> History {
        // Another environment of the same files, as after a restart; the first one is only read from here on.
        let log = try LMDBActionLog.openReadOnly(directory: directory, configuration: .small)
        var reopened = History(log)
        reopened.states = history.states
        reopened.headers = history.headers
        reopened.actions = history.actions
        return reopened
    }
}

extension LogConfiguration {
    static let small = LogConfiguration(mapBytes: 16 << 20)
}

/// Takes the last byte of a file away.
func tear(_ path: String) throws {
    var status = stat()
    #expect(stat(path, &status) == 0)
    #expect(truncate(path, status.st_size - 1) == 0)
}
