import ChronicleLog
import DiskLog
import Foundation
import Testing

@testable import ChronicleStore

private func withDirectory(_ body: (String) async throws -> Void) async throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "todod-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: directory) }
    try await body(directory)
}

private func open(_ directory: String, fingerprint: String = "one") throws -> Store<Tally> {
    let log = try LMDBActionLog.open(directory: directory, configuration: LogConfiguration(mapBytes: 1 << 28))
    return try Store.open(log, snapshots: SnapshotStore(directory: directory), fingerprint: fingerprint)
}

@Suite struct RecoveryTests {
    @Test func `a restart recovers the state, the keys and the open commands`() async throws {
        try await withDirectory { directory in
            var store: Store<Tally>? = try open(directory)
            let first = try await store?.dispatch(Dispatch([.add(5), .ask("a"), .ask("b"), .show("c")], origin: 7, key: "k"))
            await store?.stop()
            store = nil
            let again = try open(directory)
            #expect(again.present.state == Tally.State(sum: 5, asked: ["a", "b"]))
            #expect(again.present.sequence == 4)
            #expect(again.status.commands.open == 2)
            let duplicate = try await again.dispatch(
                Dispatch([.add(5), .ask("a"), .ask("b"), .show("c")], origin: 7, key: "k"))
            #expect(duplicate.isDuplicate)
            #expect(duplicate.sequences == first?.sequences)
            #expect(duplicate.presentations == [.open("c")])
            await again.stop()
        }
    }

    @Test func `a start uses the newest snapshot of the same code and folds the tail`() async throws {
        try await withDirectory { directory in
            var store: Store<Tally>? = try open(directory)
            _ = try await store?.dispatch(Dispatch(Array(repeating: .add(1), count: 100)))
            await store?.stop()
            store = nil
            do {
                let log = try LMDBActionLog.open(directory: directory, configuration: LogConfiguration(mapBytes: 1 << 28))
                let files = SnapshotStore(directory: directory)
                let used = try RecoveryResult<Tally>(from: log, snapshots: files, fingerprint: "one", initial: .init())
                #expect(used.folded == 0)
                #expect(used.snapshot.sequence == 100)
                #expect(used.present.time == log.head.time)
                let ignored = try RecoveryResult<Tally>(from: log, snapshots: files, fingerprint: "two", initial: .init())
                #expect(ignored.folded == 100)
                #expect(ignored.present.state == used.present.state)
                #expect(ignored.present.time == used.present.time)
            }
        }
    }

    @Test func `a scope whose last change is unknown after a restart counts as changed`() async throws {
        try await withDirectory { directory in
            var store: Store<Tally>? = try open(directory)
            _ = try await store?.dispatch(Dispatch([.ask("a")]))
            _ = try await store?.dispatch(Dispatch([.add(1)]))
            await store?.stop()
            store = nil
            let again = try open(directory)
            #expect(await again.error(of: Dispatch([.ask("b")], expectedSequence: 1, scope: 1)) == .stale(current: 2))
            _ = try await again.dispatch(Dispatch([.ask("b")], expectedSequence: 2, scope: 1))
            await again.stop()
        }
    }

    @Test func `a snapshot is taken beside the writer once the tail is long enough`() async throws {
        try await withDirectory { directory in
            let store = try open(directory)
            let files = SnapshotStore(directory: directory)
            while files.sequences().isEmpty {
                _ = try await store.dispatch(Dispatch(Array(repeating: .add(1), count: 1_000)))
            }
            #expect(store.present.sequence >= Limits.snapshotRecordsMin)
            await store.stop()
        }
    }

    @Test func `records are read with their link, and a page ends at the limit`() async throws {
        try await withDirectory { directory in
            let store = try open(directory)
            _ = try await store.dispatch(Dispatch(Array(repeating: .add(2), count: 700), origin: 9))
            let page = try await store.records(from: 100, through: 700)
            #expect(page.map(\.header.sequence) == Array(100..<356))
            #expect(page.allSatisfy { $0.action == .add(2) && $0.header.origin == 9 && $0.header.step == 1 })
            await store.stop()
        }
    }
}
