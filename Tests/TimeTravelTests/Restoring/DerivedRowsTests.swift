import DiskLog
import FeatureApp
import FeatureTodos
import Fields
import Records
import StoreRuntime
import TestSupport
import Testing
import TimeTravel
import Values

/// A log that a store wrote, and what stood beside it after each of its flushes.
private struct Kept {
    struct Moment {
        var lock: Lock?
        var bookmarks: [BookmarkRow]
        var open: [OutboxRow]
        var keys: [String]
        var state: App.State
    }

    var moments: [UInt64: Moment] = [:]

    mutating func note(_ desk: Desk) throws {
        var keys: [String] = []
        _ = try desk.log.keys(after: nil, rowsMax: .max) { place, _ in keys.append(place.key) }
        moments[desk.head] = Moment(
            lock: desk.log.head.lock, bookmarks: try desk.log.bookmarks(), open: try desk.log.outbox(), keys: keys,
            state: desk.state)
    }

    /// Commands that run, end, displace each other and ask for more; bookmarks that come, move and go; a lock; keys.
    static func made(in log: any ActionLog) async throws -> Kept {
        var kept = Kept()
        try await Desk.open(log) { desk in
            try kept.note(desk)
            func step(_ body: () async throws -> Void) async throws {
                try await body()
                try kept.note(desk)
            }
            for round in 0..<3 {
                try await step { try await desk.do(.todos(.add([Todo(title: "One"), Todo(title: "Two")])), key: "add \(round)") }
                try await step { try await desk.do(.todos(.load), .todos(.add([Todo(title: "Three")])), key: "load \(round)") }
                try await step { _ = try await desk.store.set(Bookmark(name: "here", sequence: desk.head), by: 1000) }
                try await step { try await desk.do(.todos(.load)) }
                try await step { _ = try await desk.store.lock("round \(round)", by: 1000) }
                try await step { try await desk.bringBack() }
                try await step { _ = try await desk.store.unlock(by: 1000) }
                try await step { _ = try await desk.store.set(Bookmark(name: "round\(round)", sequence: 2), by: 1000) }
                if round == 1 { try await step { _ = try await desk.store.set(Bookmark(withdrawing: "round0"), by: 1000) } }
            }
            try await step { try await desk.do(.todos(.load)) }
        }
        return kept
    }
}

@Suite struct DerivedRowsTests {
    @Test func `a log cut behind any record has beside it what stood there then, and is found fine`() async throws {
        let directory = TemporaryDirectory()
        let kept = try await Kept.made(in: try LMDBActionLog.open(directory: directory.path + "/log", configuration: .small))
        let last = try #require(kept.moments.keys.max())
        for sequence in 0...last {
            let path = "\(directory.path)/\(sequence)"
            _ = try LMDBActionLog.restore(from: directory.path + "/log", to: path) { (log) throws(ActionLogError) in
                try DerivedRows.of(App.self, in: log, through: sequence)
            }
            let log = try LMDBActionLog.openReadOnly(directory: path, configuration: .small)
            #expect(log.damage == nil && log.head.sequence == sequence)
            let history = History<App>(
                log, snapshots: SnapshotStore(directory: path), fingerprint: "one", base: PastState(state: App.State()))
            #expect(try await history.verify(opened: log.damage).damages == [], "\(sequence)")
            guard let moment = kept.moments[sequence] else { continue }
            #expect(try await history.state(at: .now).state == moment.state)
            #expect(try log.bookmarks() == moment.bookmarks.sorted { $0.name < $1.name }, "\(sequence)")
            #expect(log.head.lock == moment.lock, "\(sequence)")
            let open = try log.outbox()
            #expect(open.map(\.id) == moment.open.map(\.id) && open.map(\.call) == moment.open.map(\.call))
            #expect(open.map(\.group) == moment.open.map(\.group) && open.map(\.depth) == moment.open.map(\.depth))
            var keys: [String] = []
            _ = try log.keys(after: nil, rowsMax: .max) { place, _ in keys.append(place.key) }
            #expect(keys == moment.keys, "\(sequence)")
        }
    }

    @Test func `a command that has ended since counts as begun, and one that has not stands as it did`() async throws {
        let log = InMemoryActionLog()
        try await Desk.open(log) { desk in
            let asked = try await desk.do(.todos(.load))
            try await desk.bringBack()
            let later = try await desk.do(.todos(.load))
            let rows = try DerivedRows.of(App.self, in: log, through: asked)
            #expect(rows.outbox.map(\.id) == [CommandID(sequence: asked, index: 0)])
            #expect(rows.outbox.first?.stage == .started && rows.outbox.first?.attempts == 1)
            #expect(try DerivedRows.of(App.self, in: log, through: later).outbox.first?.stage == .waiting)
        }
    }

    @Test func `a dispatch that is cut in two keeps its key, for the records and the ids that are left`() async throws {
        let log = InMemoryActionLog()
        try await Desk.open(log) { desk in
            try await desk.do(
                .todos(.add([Todo(title: "One")])), .todos(.add([Todo(title: "Two")])), .todos(.add([Todo(title: "Three")])),
                key: "all")
            let divided = try #require(try DerivedRows.of(App.self, in: log, through: 2).divided)
            #expect(divided.place == KeyPlace(uid: 1000, key: "all") && divided.row.first == 1 && divided.row.last == 2)
            #expect(divided.row.ids.count == 2 && divided.row.time < log.head.time)
            #expect(try DerivedRows.of(App.self, in: log, through: 3).divided == nil)
        }
    }
}
