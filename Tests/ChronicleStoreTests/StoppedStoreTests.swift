import ChronicleLog
import DiskLog
import Foundation
import Testing

@testable import ChronicleStore

@Suite struct StoppedStoreTests {
    @Test func `no thread of a stopped store keeps the log alive`() async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "stopped-store-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        for _ in 0..<200 {
            weak var held: InMemoryActionLog?
            do {
                let log = InMemoryActionLog()
                held = log
                let store = try Store<Tally>.open(log, snapshots: SnapshotStore(directory: directory.path()))
                _ = try await store.dispatch(Dispatch([.add(1)]))
                await store.stop()
            }
            try #require(held == nil)
        }
    }

    @Test func `a store can be stopped twice`() async throws {
        let store = try Store<Tally>.open(InMemoryActionLog())
        await store.stop()
        await store.stop()
    }
}
