import Glibc
import TestSupport
import Testing

@testable import ChronicleLog
@testable import DiskLog

@Suite struct SnapshotTests {
    let directory = TemporaryDirectory()

    var files: SnapshotStore { SnapshotStore(directory: directory.path) }

    func snapshot(_ sequence: UInt64, fingerprint: String = "code") -> Snapshot {
        Snapshot(
            sequence: sequence, checksum: sequence * 7, epoch: 3, time: Int64(sequence) * 1_000, fingerprint: fingerprint,
            state: Array("state \(sequence)".utf8))
    }

    @Test func `the newest snapshot is read back as it was written`() throws {
        #expect(files.newest(fingerprint: "code", through: .max) == nil)
        try files.write(snapshot(4))
        try files.write(snapshot(10))
        #expect(files.newest(fingerprint: "code", through: .max) == snapshot(10))
        let empty = Snapshot(sequence: 11, checksum: 0, epoch: 0, time: 0, fingerprint: "code", state: [])
        try files.write(empty)
        #expect(files.newest(fingerprint: "code", through: .max) == empty)
    }

    @Test func `two snapshots are kept, and unfinished ones are removed`() throws {
        try OutputFile.write([1].span.bytes, name: "snapshot-00000000000000000001.new", directory: directory.path)
        for sequence in [4, 10, 5, 200] as [UInt64] { try files.write(snapshot(sequence)) }
        #expect(files.sequences() == [10, 200])
        #expect(try Directory.names(directory.path).count { $0.hasPrefix("snapshot") } == 2)
    }

    @Test func `a snapshot after the head, of other code or of another log is skipped`() throws {
        try files.write(snapshot(4))
        try files.write(snapshot(10, fingerprint: "newer code"))
        #expect(files.newest(fingerprint: "code", through: .max)?.sequence == 4)
        #expect(files.newest(fingerprint: "newer code", through: 9) == nil)
        #expect(files.newest(fingerprint: "newer code", through: 10)?.sequence == 10)
        #expect(files.newest(fingerprint: "code", through: .max) { $0.checksum == 1 } == nil)
    }

    @Test func `if the newest snapshot has a changed byte or a missing part, the previous one is used`() throws {
        try files.write(snapshot(4))
        try files.write(snapshot(10))
        let name = "snapshot-00000000000000000010"
        let path = "\(directory.path)/\(name)"
        let whole = try #require(SmallFile.bytes(path))
        for index in whole.indices {
            var changed = whole
            changed[index] ^= 2
            try OutputFile.write(changed.span.bytes, name: name, directory: directory.path)
            #expect(files.newest(fingerprint: "code", through: .max)?.sequence == 4, "byte \(index)")
        }
        for count in whole.indices {
            let part = Array(whole[..<count])
            try OutputFile.write(part.span.bytes, name: name, directory: directory.path)
            #expect(files.newest(fingerprint: "code", through: .max)?.sequence == 4, "\(count) bytes")
        }
        let longer = whole + [0]
        try OutputFile.write(longer.span.bytes, name: name, directory: directory.path)
        #expect(files.newest(fingerprint: "code", through: .max)?.sequence == 4)
        try OutputFile.write(whole.span.bytes, name: name, directory: directory.path)
        #expect(files.newest(fingerprint: "code", through: .max)?.sequence == 10)
    }

    @Test func `a snapshot under another snapshot's name is skipped`() throws {
        try files.write(snapshot(10))
        let old = "\(directory.path)/snapshot-00000000000000000010"
        #expect(rename(old, "\(directory.path)/snapshot-00000000000000000011") == 0)
        #expect(files.newest(fingerprint: "code", through: .max) == nil)
    }
}
