import ActionCoding
import ActionLogs
import Foundation
import Testing

@testable import StoreRuntime

@Suite struct SnapshotWriterTests {
    @Test func `snapshots for travellers are left behind all along the log, within half of what it takes`() async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "todod-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let log = try LMDBActionLog.open(directory: directory, configuration: LogConfiguration(mapBytes: 1 << 28))
        let files = SnapshotFiles(directory: directory)
        let store = try Store.open(log, snapshots: files)
        for _ in 0..<5 { _ = try await store.dispatch(Dispatch(Array(repeating: .add(1), count: 16_384))) }
        await store.stop()
        let sequences = files.travel.sequences()
        #expect(!sequences.isEmpty)
        for sequence in sequences {
            let snapshot = try #require(files.travel.read(sequence))
            #expect(try Tally.State(canonical: snapshot.state).sum == Int64(sequence))
            #expect(try log.checksum(of: sequence) == snapshot.checksum)
        }
        #expect(try files.sequences().last == 5 * 16_384)
    }
}
