import TestSupport
import Testing

@testable import ChronicleLog
@testable import DiskLog

@Suite struct HistorySnapshotTests {
    let directory = TemporaryDirectory()

    private func snapshot(_ sequence: UInt64, bytes: Int = 100) -> Snapshot {
        Snapshot(
            sequence: sequence, checksum: sequence, epoch: 3, time: 5, fingerprint: "code",
            state: Array(repeating: 7, count: bytes))
    }

    @Test func `snapshots are kept along the whole log and are read back as they were written`() throws {
        let history = SnapshotStore(directory: directory.path).history
        #expect(history.places() == [] && history.sequences() == [] && history.read(1) == nil && history.summary(1) == nil)
        for sequence in [300, 4, 10, 5] as [UInt64] { #expect(try history.write(snapshot(sequence), budgetBytes: 10_000)) }
        #expect(history.sequences() == [4, 5, 10, 300])
        #expect(history.read(10) == snapshot(10))
        #expect(history.summary(10)?.digest == snapshot(10).digest)
        #expect(history.summary(10)?.fingerprint == "code")
        #expect(history.summary(10)?.stateBytes == 100)
        #expect(history.places().allSatisfy { $0.bytes > 50 && $0.bytes < 200 })
        history.removeAll { $0 >= 10 }
        #expect(history.sequences() == [4, 5])
        #expect(SnapshotStore(directory: directory.path).sequences() == [])
    }

    @Test func `if space is short, the snapshots that are closest to others are removed, unless a gap would become too long`() {
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
        // A snapshot that replaces another of the same sequence, and a snapshot between others that would be removed itself.
        #expect(unneeded([(10, 10), (20, 10)], (20, 10), 20) == [])
        #expect(unneeded([(10, 10), (30, 10)], (20, 10), 20) == nil)
    }

    @Test func `a compressible state takes little space and is counted by its compressed size`() throws {
        let store = SnapshotStore(directory: directory.path)
        let large = snapshot(10, bytes: 100_000)
        #expect(try store.history.write(large, budgetBytes: 5_000))
        #expect(store.history.read(10) == large)
        #expect(store.stateBytes(of: 10) == 100_000)
        #expect(store.history.places()[0].bytes < 1_000)
        var random = SeededGenerator(1)
        let mixed = Snapshot(
            sequence: 11, checksum: 1, epoch: 3, time: 5, fingerprint: "code",
            state: (0..<10_000).map { _ in UInt8.random(in: 0...255, using: &random) })
        #expect(try !store.history.write(mixed, budgetBytes: 5_000))
        #expect(try store.history.write(mixed, budgetBytes: 50_000))
        #expect(store.history.read(11) == mixed)
        let empty = snapshot(12, bytes: 0)
        #expect(try store.history.write(empty, budgetBytes: 50_000))
        #expect(store.history.read(12) == empty)
    }

    @Test func `a snapshot with a changed byte or a missing part is ignored`() throws {
        let history = SnapshotStore(directory: directory.path).history
        #expect(try history.write(snapshot(10, bytes: 5_000), budgetBytes: .max))
        let (name, travel) = ("snapshot-00000000000000000010", directory.path + "/travel")
        let whole = try #require(SmallFile.bytes("\(travel)/\(name)"))
        for index in whole.indices {
            var changed = whole
            changed[index] ^= 2
            try OutputFile.write(changed.span.bytes, name: name, directory: travel)
            #expect(history.read(10) == nil, "byte \(index)")
            let part = Array(whole[..<index])
            try OutputFile.write(part.span.bytes, name: name, directory: travel)
            #expect(history.read(10) == nil, "\(index) bytes")
        }
        // A snapshot whose state has another checksum is ignored as well.
        var state: [UInt8] = []
        #expect(SnapshotFrame.Form.compressed.storing(snapshot(10, bytes: 5_000)).form == .compressed)
        SnapshotFrame.Form.compressed.forEachPiece(of: snapshot(10, bytes: 5_000)) { state += $0 }
        #expect(SnapshotFrame.Form.compressed.state(in: state, bytes: 5_000)?.count == 5_000)
        #expect(SnapshotFrame.Form.compressed.state(in: state, bytes: 4_999) == nil)
        #expect(SnapshotFrame.Form.compressed.state(in: state, bytes: 5_001) == nil)
    }

    @Test func `a snapshot that claims a huge state in a few bytes is ignored, and no memory is allocated for it`() throws {
        let history = SnapshotStore(directory: directory.path).history
        let (bytes, most) = (SnapshotFrame.Form.expandedBytesMin, SnapshotFrame.Form.stateBytesMax)
        for claimed in [5_001, bytes + 1, most, 1 << 40, UInt64(Int64.max), .max] {
            #expect(try history.write(snapshot(10, bytes: 5_000), budgetBytes: .max))
            var stored: [UInt8] = []
            SnapshotFrame.Form.compressed.forEachPiece(of: snapshot(10, bytes: 5_000)) { stored += $0 }
            var frame = SnapshotFrame(summary: snapshot(10, bytes: 5_000).summary)
            frame.summary.stateBytes = claimed
            let (prefix, header) = frame.opening(storedCount: stored.count, as: .compressed)
            var file = prefix
            file.append(littleEndian: SnapshotFrame.checksum(prefix: prefix, header: header, stored: stored))
            file += header + stored
            try OutputFile.write(file.span.bytes, name: "snapshot-00000000000000000010", directory: directory.path + "/travel")
            #expect(history.read(10) == nil, "\(claimed) bytes")
        }
        #expect(!SnapshotFrame.Form.accepts(most + 1, of: .max / 1_000))
        #expect(SnapshotFrame.Form.accepts(most, of: Int(most / SnapshotFrame.Form.expansionMax) + 1))
    }

    @Test func `a state above the limit of the compression ratio can be read back`() throws {
        let history = SnapshotStore(directory: directory.path).history
        let alike = snapshot(10, bytes: Int(SnapshotFrame.Form.expandedBytesMin) + 1)
        #expect(try history.write(alike, budgetBytes: .max))
        #expect(history.read(10) == alike)
    }

    @Test func `uncompressed snapshots of an older version can be read`() throws {
        let older = SnapshotDirectory(
            directory: directory.path + "/travel", makesDirectory: true, durability: .none, form: .plain)
        try older.write(snapshot(10)) { $0 > 100 && $0 < 200 }
        let store = SnapshotStore(directory: directory.path)
        #expect(store.history.read(10) == snapshot(10))
        #expect(store.stateBytes(of: 10) == 100)
    }

    @Test func `the digests of two states are equal exactly if the states are`() throws {
        let one = snapshot(1)
        #expect(one.digest == snapshot(2).digest)
        #expect(one.digest != snapshot(1, bytes: 101).digest)
    }
}
