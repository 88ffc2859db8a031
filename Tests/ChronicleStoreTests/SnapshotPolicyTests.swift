import ChronicleLog
import Testing

@testable import ChronicleStore

@Suite struct SnapshotPolicyTests {
    private typealias Place = HistorySnapshots.Place

    @Test(
        arguments: [
            (0, 0, 4_095, false), (0, 0, 4_096, true), (4_096, 0, 8_191, false), (4_096, 0, 8_192, true),
            (0, 1_000_000, 9_999, false), (0, 1_000_000, 10_000, true), (10_000, 1_000_000, 9_000, false),
        ] as [(UInt64, UInt64, UInt64, Bool)])
    func `a start snapshot is due when folding the tail takes longer than loading it`(
        start: UInt64, bytes: UInt64, sequence: UInt64, isDue: Bool
    ) {
        let policy = SnapshotPolicy(start: start, history: start, stateBytes: bytes)
        #expect(policy.candidate(at: sequence).contains(.start) == isDue)
    }

    @Test(
        arguments: [
            // For a small state the minimum distance applies.
            (1_000, 100_000, 10_000_000, 8_191, false), (1_000, 100_000, 10_000_000, 8_192, true),
            // 1 MB, records of 100 bytes: two snapshots take half as much space as 20,000 records.
            (1_000_000, 100_000, 10_000_000, 19_999, false), (1_000_000, 100_000, 10_000_000, 20_000, true),
            // The same with records of 1,000 bytes.
            (1_000_000, 100_000, 100_000_000, 8_192, true),
            // More than half of the log's size.
            (6_000_000, 100_000, 10_000_000, 100_000, false),
        ] as [(UInt64, UInt64, UInt64, UInt64, Bool)])
    func `a history snapshot is due if all of them fit into half of the log's size`(
        bytes: UInt64, records: UInt64, logBytes: UInt64, sequence: UInt64, isDue: Bool
    ) {
        var policy = SnapshotPolicy(stateBytes: bytes)
        let room = SnapshotPolicy.Room(records: records, logBytes: logBytes)
        let candidate = policy.candidate(at: sequence).subtracting(.start)
        #expect(policy.use(candidate, at: sequence, room).contains(.history) == isDue)
        // The same record is not considered twice, whatever the outcome.
        #expect(!policy.candidate(at: sequence).contains(.history))
    }

    @Test func `no state is encoded if the snapshot files leave no space`() {
        var policy = SnapshotPolicy(stateBytes: 1_000)
        let places = [Place(sequence: 100_000, bytes: 5_000_000)]
        let room = SnapshotPolicy.Room(records: 200_000, logBytes: 10_000_000, places: places)
        #expect(policy.use(.history, at: 200_000, room).isEmpty)
    }

    @Test func `a snapshot that was removed is due again`() {
        var policy = SnapshotPolicy(start: 9_000, history: 9_000, stateBytes: 7)
        policy.forget(from: 5)
        #expect(policy.candidate(at: 9_000) == [.start, .history])
    }

    @Test(arguments: [100, 10_000, 1_000_000, 100_000_000] as [UInt64])
    func `every state that is encoded along a long log is kept`(stateBytes: UInt64) {
        var policy = SnapshotPolicy()
        var places: [Place] = []
        var (encoded, starts, both) = (0, 0, 0)
        for sequence in stride(from: UInt64(1_000), through: 20_000_000, by: 1_000) {
            let candidate = policy.candidate(at: sequence)
            if candidate.isEmpty { continue }
            let room = SnapshotPolicy.Room(records: sequence, logBytes: sequence * 110, places: places)
            let use = policy.use(candidate, at: sequence, room)
            if use.isEmpty { continue }
            encoded += 1
            if use.contains(.start) { starts += 1 }
            if use == [.start, .history] { both += 1 }
            policy.note(use, at: sequence, bytes: stateBytes)
            guard use.contains(.history) else { continue }
            places.append(Place(sequence: sequence, bytes: Int(stateBytes)))
            #expect(places.reduce(0) { $0 + $1.bytes } <= Int(room.budgetBytes) + Int(stateBytes))
        }
        #expect(encoded == starts + places.count - both)
        // A start takes as long as loading a snapshot, and any past state is a short fold away.
        #expect(starts >= Int(20_000_000 / max(5_000, stateBytes / 90)) - 1)
        let wanted = min(20_000_000 / 9_000, 20_000_000 * 110 / 2 / stateBytes)
        #expect(places.count >= Int(wanted) * 9 / 10 - 2)
    }
}
