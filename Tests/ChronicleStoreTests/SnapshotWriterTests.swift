import ChronicleLog
import ChronicleTesting
import ChronicleValues
import DiskLog
import Foundation
import Testing

@testable import ChronicleStore

@Suite struct SnapshotWriterTests {
    @Test func `history snapshots are kept along the whole log, within half of its size`() async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "todod-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let log = try LMDBActionLog.open(directory: directory, configuration: LogConfiguration(mapBytes: 1 << 28))
        let files = SnapshotStore(directory: directory)
        let store = try Store.open(log, snapshots: files)
        for _ in 0..<5 { _ = try await store.dispatch(Dispatch(Array(repeating: .add(1), count: 16_384))) }
        await store.stop()
        let sequences = files.history.sequences()
        #expect(!sequences.isEmpty)
        for sequence in sequences {
            let snapshot = try #require(files.history.read(sequence))
            #expect(try Tally.State(canonical: snapshot.state).sum == Int64(sequence))
            #expect(try log.checksum(of: sequence) == snapshot.checksum)
        }
        let last: UInt64 = 5 * 16_384
        #expect(files.sequences().last == last)
    }

    @Test func `a snapshot never uses the disk space that is reserved for the log`() async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "todod-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        let files = SnapshotStore(directory: directory)
        let log = FailingLog()
        for (more, isKept) in [(0, false), (1 << 20, true)] {
            log.pretend(FreeSpace(diskFreeBytes: StoreOptions(build: 1).freeBytesMin + more))
            let store = try Store.open(log, snapshots: files)
            _ = try await store.dispatch(Dispatch([.add(1)]))
            await store.stop()
            #expect(files.sequences().isEmpty == !isKept)
        }
    }

    @Test func `a snapshot that was not written is not reported`() async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "todod-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        let log = FailingLog()
        for (more, isKept) in [(0, false), (1 << 20, true)] {
            log.pretend(FreeSpace(diskFreeBytes: StoreOptions(build: 1).freeBytesMin + more))
            let store = try Store.open(log, snapshots: SnapshotStore(directory: directory))
            _ = try await store.dispatch(Dispatch([.add(1)]))
            await store.stop()
            #expect((store.status.snapshot.sequence == store.present.sequence) == isKept)
        }
    }
}
