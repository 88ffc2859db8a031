import TestSupport
import Testing

@testable import DiskLog
@testable import Records

@Suite struct HistorySnapshotTests {
    let directory = TemporaryDirectory()

    private func snapshot(_ sequence: UInt64, bytes: Int = 100) -> Snapshot {
        Snapshot(
            sequence: sequence, checksum: sequence, epoch: 3, time: 5, fingerprint: "code",
            state: Array(repeating: 7, count: bytes))
    }

    @Test func `all along the log they are kept, and come back as they were written`() throws {
        let history = SnapshotStore(directory: directory.path).history
        #expect(history.places() == [] && history.sequences() == [] && history.read(1) == nil && history.summary(1) == nil)
        for sequence in [300, 4, 10, 5] as [UInt64] { #expect(try history.write(snapshot(sequence), budgetBytes: 10_000)) }
        #expect(history.sequences() == [4, 5, 10, 300])
        #expect(history.read(10) == snapshot(10))
        #expect(history.summary(10)?.digest == snapshot(10).digest)
        #expect(history.summary(10)?.fingerprint == "code")
        #expect(history.places().allSatisfy { $0.bytes > 100 && $0.bytes < 200 })
        history.removeAll(from: 10)
        #expect(history.sequences() == [4, 5])
        #expect(SnapshotStore(directory: directory.path).sequences() == [])
    }

    @Test func `without room for it the closest go, but never so that a gap becomes too long`() {
        func unneeded(_ places: [(UInt64, Int)], _ new: (UInt64, Int), _ budget: Int) -> [UInt64]? {
            HistorySnapshots.unneeded(
                in: places.map { .init(sequence: $0.0, bytes: $0.1) }, for: .init(sequence: new.0, bytes: new.1),
                budgetBytes: budget)
        }
        #expect(unneeded([], (5, 10), 10) == [])
        #expect(unneeded([], (5, 11), 10) == nil)
        #expect(unneeded([(10, 10), (20, 10), (25, 10)], (60, 10), 40) == [])
        #expect(unneeded([(10, 10), (20, 10), (25, 10)], (60, 10), 30) == [20])
        #expect(unneeded([(10, 10), (20, 10), (25, 10)], (60, 10), 20) == [20, 25])
        #expect(unneeded([(10, 10), (20, 10), (25, 10)], (60, 10), 19) == nil)
        #expect(unneeded([(0, 10), (40_000, 10)], (65_536, 10), 20) == [40_000])
        #expect(unneeded([(0, 10), (40_000, 10)], (65_537, 10), 20) == nil)
        // One in the place of another of the same sequence, and one between others that would have to go itself.
        #expect(unneeded([(10, 10), (20, 10)], (20, 10), 20) == [])
        #expect(unneeded([(10, 10), (30, 10)], (20, 10), 20) == nil)
    }

    @Test func `a digest tells equal states, whoever wrote them`() throws {
        let one = snapshot(1)
        #expect(one.digest == snapshot(2).digest)
        #expect(one.digest != snapshot(1, bytes: 101).digest)
    }
}
