import ChronicleLog
import DiskLog
import Foundation
import Testing

@testable import ChronicleStore

@Suite struct DroppedStoreTests {
    // A separate process, in which no other test has a store.
    @Test func `a store that is dropped without a stop leaves no thread`() async {
        await #expect(processExitsWith: .success) {
            let files = FileManager.default
            func threads() -> Set<String> {
                let tasks = (try? files.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
                let names = tasks.compactMap { try? String(contentsOfFile: "/proc/self/task/\($0)/comm", encoding: .utf8) }
                return Set(names.map { $0.trimmingCharacters(in: .newlines) }).intersection(["store", "queries", "snapshots"])
            }
            /// Waits until exactly these threads of stores exist.
            func there(_ names: Set<String>) async -> Bool {
                let deadline = ContinuousClock.now + .seconds(60)
                while threads() != names, ContinuousClock.now < deadline { await Task.yield() }
                return threads() == names
            }
            let directory = files.temporaryDirectory.appending(path: "dropped-store-\(ProcessInfo.processInfo.processIdentifier)")
            try files.createDirectory(at: directory, withIntermediateDirectories: true)
            defer { try? files.removeItem(at: directory) }
            for _ in 0..<3 {
                let store = try Store<Tally>.open(InMemoryActionLog(), snapshots: SnapshotStore(directory: directory.path()))
                _ = try await store.dispatch(Dispatch([.add(1)]))
                #expect(await there(["store", "queries", "snapshots"]))
            }
            #expect(await there([]))
        }
    }
}
