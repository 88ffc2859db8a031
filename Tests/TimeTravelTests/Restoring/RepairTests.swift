import Chronicle
import ChronicleLog
import ChronicleStore
import DiskLog
import FeatureApp
import FeatureTodos
import Foundation
import TestSupport
import Testing
import TimeTravel

@Suite struct RepairTests {
    let directory = TemporaryDirectory()

    private func history(of log: any ActionLog) -> History<App> {
        History(
            log, snapshots: SnapshotStore(directory: directory.path), fingerprint: "one", base: PastState(state: App.State()))
    }

    /// A log with open commands, bookmarks and keys.
    private func makeLog() async throws {
        let log = try LMDBActionLog.open(directory: directory.path, configuration: .small)
        try await Desk.open(log) { desk in
            for number in 1...20 {
                try await desk.do(.todos(.add([Todo(title: "One")])), .todos(.add([Todo(title: "Two")])), key: "key \(number)")
            }
            try await desk.do(.todos(.load))
            _ = try await desk.store.set(Bookmark(name: "here", sequence: 5), by: 1000)
            _ = try await desk.store.set(Bookmark(name: "there", sequence: 7), by: 1000)
            _ = try await desk.store.lock("moving", by: 1000)
        }
    }

    /// Appends a flush that no store would write.
    private func tamper(_ body: (inout Flush) throws -> Void) throws {
        let log = try LMDBActionLog.open(directory: directory.path, configuration: .small)
        var flush = Flush(after: log.head)
        try body(&flush)
        try log.append(flush)
    }

    /// Changes the first byte of the row of a key.
    private func tear(after key: String) throws {
        let url = URL(fileURLWithPath: directory.path + "/data.mdb")
        var bytes = try Data(contentsOf: url)
        let place = try #require(bytes.range(of: Data(key.utf8)))
        bytes[place.upperBound] ^= 1
        try bytes.write(to: url)
    }

    private func repaired() async throws -> [String] {
        let (log, isHeadLost) = try LMDBActionLog.openForRepair(directory: directory.path, configuration: .small)
        return try await history(of: log).repair(log, isHeadLost: isHeadLost)
    }

    private func expectFine() async throws {
        let log = try LMDBActionLog.openReadOnly(directory: directory.path, configuration: .small)
        #expect(try await history(of: log).verify(opened: log.damage).damages == [])
    }

    @Test func `rows that differ from the records are rebuilt, and nothing else is changed`() async throws {
        try await makeLog()
        #expect(try await repaired() == [])
        let before = try LMDBActionLog.openReadOnly(directory: directory.path, configuration: .small).head
        let open = CommandID(sequence: 41, index: 0)
        try tamper { flush in
            flush.close(open)
            flush.add(OutboxRow(id: CommandID(sequence: 3, index: 1), call: CommandCall(name: "todos.load")))
            flush.removeBookmark("here")
            flush.set(BookmarkRow(name: "there", sequence: 6, record: 43))
            flush.set(BookmarkRow(name: "nowhere", sequence: 6, record: 40))
            try flush.stage(KeyRow(first: 2, last: 3, ids: [9], digest: 1), key: "another", of: 1000)
            flush.headChange.lock = .unlock
        }
        let made = try await repaired()
        #expect(made.count == 4 && made.contains("bookmarks: 2 rebuilt, 2 removed"), "\(made)")
        #expect(made.contains("open commands: 1 rebuilt, 1 removed") && made.contains("the lock of record 44"), "\(made)")
        #expect(made.contains("rows of keys: 1 were wrong, 0 rebuilt"), "\(made)")
        try await expectFine()
        let log = try LMDBActionLog.openReadOnly(directory: directory.path, configuration: .small)
        #expect(log.head.sequence == before.sequence && log.head.checksum == before.checksum && log.head.lock == before.lock)
        // The progress of the command is unknown, so it counts as started.
        #expect(try log.outbox().map(\.id) == [open] && log.outbox().map(\.stage) == [.started])
        #expect(try log.bookmarks().map(\.sequence) == [5, 7])
        #expect(try await repaired() == [])
    }

    @Test func `a hold of commands that the head has lost is reported and restored`() async throws {
        do {
            let log = try LMDBActionLog.open(directory: directory.path, configuration: .small)
            try await Desk.open(log) { desk in
                try await desk.do(.todos(.load))
                try await desk.store.submit(.hold(by: 1000))
            }
        }
        try tamper { $0.headChange.heldThrough = 0 }
        do {
            let log = try LMDBActionLog.openReadOnly(directory: directory.path, configuration: .small)
            #expect(try await history(of: log).verify().damages.map(\.kind) == [.head])
        }
        #expect(try await repaired() == ["the hold of commands"])
        try await expectFine()
    }

    @Test func `result pieces without a record are reported and removed`() async throws {
        try await makeLog()
        var row = try #require(try LMDBActionLog.openReadOnly(directory: directory.path, configuration: .small).outbox().first)
        row.pieces = 3
        try tamper { $0.change(row) }
        let log = try LMDBActionLog.openReadOnly(directory: directory.path, configuration: .small)
        #expect(try await history(of: log).verify().damages.map(\.kind) == [.outbox])
        #expect(try await repaired().count == 1)
        try await expectFine()
    }

    @Test func `a lost key row is rebuilt, and a repeated dispatch with that key gets the first answer`() async throws {
        try await makeLog()
        try tamper { flush in
            for number: UInt64 in 0..<2 {
                let header = RecordHeader(
                    sequence: 45 + number, time: flush.time + 1, origin: 1000, step: 45, key: "lost", build: 1)
                flush.stage(header) { App.Action.todos(.add([Todo(id: 41 + number, title: "One")])).encode(into: &$0) }
            }
            flush.headChange.lock = .unlock
        }
        #expect(try await repaired().contains("rows of keys: 0 were wrong, 1 rebuilt"))
        try await expectFine()
        let log = try LMDBActionLog.open(directory: directory.path, configuration: .small)
        try await Desk.open(log) { desk in
            _ = try await desk.store.unlock(by: 1000)
            let answer = try await desk.store.dispatch(
                Dispatch([.todos(.add([Todo(title: "One")])), .todos(.add([Todo(title: "One")]))], origin: 1000, key: "lost"))
            #expect(answer.isDuplicate && answer.sequences == 45..<47 && answer.ids == [41, 42])
        }
    }

    @Test func `wrong snapshots are removed, and a snapshot for the next start is written`() async throws {
        try makeSnapshots()
        #expect(try await repaired() == ["snapshots: 1 were wrong, and are written again where needed"])
        try await expectFine()
        let snapshots = SnapshotStore(directory: directory.path)
        #expect(snapshots.history.sequences() == [20] && snapshots.sequences().count == 1)
    }

    private func makeSnapshots() throws {
        let log = try LMDBActionLog.open(directory: directory.path, configuration: .small)
        let sample = try SampleLog.random(9, records: 100, in: log)
        try sample.leaveSnapshot(at: 20, in: directory.path, fingerprint: "one")
        try sample.leaveSnapshot(at: 40, in: directory.path, fingerprint: "one", state: sample.states[30])
    }
}
