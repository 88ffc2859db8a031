import Chronicle
import ChronicleLog
import ChronicleStore
import DiskLog
import Expressions
import FeatureApp
import FeatureCounter
import FeatureTodos
import TestSupport
import Testing
import TimeTravel

/// The derived rows and the state of a log after each flush of a store.
private struct Kept {
    struct Moment {
        var lock: Lock?
        var invariants: [Invariant]
        var heldThrough: UInt64
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
            lock: desk.log.head.lock, invariants: desk.log.head.invariants, heldThrough: desk.log.head.heldThrough,
            bookmarks: try desk.log.bookmarks(), open: try desk.log.outbox(), keys: keys,
            state: desk.state)
    }

    /// Writes a log with commands, result pieces, bookmarks, invariants, locks, holds and keys.
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
                let few = try Expression("count(todos.items) < \(100 + round)", of: App.shape)
                try await step { _ = try await desk.store.setInvariant("few \(round % 2)", few, by: 1000) }
                let open = try #require(try await desk.store.commands().last).id
                for index in 0..<2 as Range<UInt32> {
                    try await step {
                        if index == 0 { try await desk.store.submit(.begin(open, attempt: 1)) }
                        let piece = ResultPiece(index: index, done: UInt64(index) + 1, total: 9)
                        try await desk.store.submit(.piece(open, piece, .counter(.increment)))
                    }
                }
                try await step { try await desk.store.submit(.hold(by: 1000)) }
                try await step { _ = try await desk.store.lock("round \(round)", by: 1000) }
                try await step { try await desk.store.submit(.release(by: 1000)) }
                try await step { try await desk.bringBack() }
                try await step { _ = try await desk.store.unlock(by: 1000) }
                try await step { _ = try await desk.store.set(Bookmark(name: "round\(round)", sequence: 2), by: 1000) }
                if round == 1 { try await step { _ = try await desk.store.removeInvariant("few 0", by: 1000) } }
                if round == 1 { try await step { _ = try await desk.store.set(Bookmark(withdrawing: "round0"), by: 1000) } }
            }
            try await step { try await desk.do(.todos(.load)) }
        }
        return kept
    }
}

@Suite struct DerivedRowsTests {
    @Test func `a log restored up to any record has the derived rows of that moment and no damage`() async throws {
        let directory = TemporaryDirectory()
        let kept = try await Kept.made(in: try LMDBActionLog.open(directory: directory.path + "/log", configuration: .small))
        let last = try #require(kept.moments.keys.max())
        try await expect(kept, afterAnyOf: 0...last, of: directory)
        // The same applies after each of several compactions.
        for sequence in kept.moments.keys.sorted().filter({ $0 > 0 && $0 % 5 == 2 }) {
            let path = directory.path + "/log"
            do {
                let log = try LMDBActionLog.open(directory: path, configuration: .small)
                try log.compact(to: try await history(of: log, in: path).state(at: .sequence(sequence)))
            }
            try await expect(kept, afterAnyOf: sequence...min(sequence + 9, last), of: directory)
        }
    }

    @Test func `a later hold of commands does not apply to an earlier moment, even after a compaction`() async throws {
        let place = TemporaryDirectory()
        let path = place.path + "/log"
        func held(through sequence: UInt64, in log: any ActionLog) throws -> UInt64 {
            try DerivedRows.of(App.self, in: log, through: sequence).standing.heldThrough
        }
        do {
            let log = try LMDBActionLog.open(directory: path, configuration: .small)
            try await Desk.open(log) { desk in
                for _ in 0..<4 { try await desk.do(.counter(.increment)) }
                try await desk.store.submit(.hold(by: 1000))
            }
        }
        do {
            let log = try LMDBActionLog.open(directory: path, configuration: .small)
            try log.compact(to: try await history(of: log, in: path).state(at: .sequence(2)))
            #expect(try held(through: 3, in: log) == 0 && held(through: 5, in: log) == .max)
        }
        let log = try LMDBActionLog.open(directory: path, configuration: .small)
        try await Desk.open(log) { desk in try await desk.store.submit(.release(by: 1000)) }
        #expect(try held(through: 3, in: log) == 0 && held(through: log.head.sequence, in: log) == 0)
        #expect(try await history(of: log, in: path).verify().damages == [])
    }

    @Test func `a later edit of a command does not apply to an earlier moment, even if the call is the same`() async throws {
        let log = InMemoryActionLog()
        try await Desk.open(log) { desk in
            let asked = try await desk.do(.todos(.load))
            var row = try #require(try log.outbox().first)
            row.edited = asked + 1
            let rows = try DerivedRows.of(App.self, in: log, through: asked, beside: ([row], []))
            #expect(rows.outbox.map(\.edited) == [0] && rows.outbox.first?.stage == .waiting)
        }
    }

    private func history(of log: any ActionLog, in path: String) throws -> History<App> {
        History(
            log, snapshots: SnapshotStore(directory: path), fingerprint: "one",
            base: try PastState(beginningOf: log, initial: App.State()))
    }

    private func expect(_ kept: Kept, afterAnyOf sequences: ClosedRange<UInt64>, of directory: TemporaryDirectory) async throws {
        for sequence in sequences {
            let place = TemporaryDirectory()
            let path = place.path + "/log"
            _ = try LMDBActionLog.restore(from: directory.path + "/log", to: path) { (log) throws(ActionLogError) in
                try DerivedRows.of(App.self, in: log, through: sequence)
            }
            let log = try LMDBActionLog.openReadOnly(directory: path, configuration: .small)
            #expect(log.damage == nil && log.head.sequence == sequence)
            let history = try history(of: log, in: path)
            #expect(try await history.verify(opened: log.damage).damages == [], "\(sequence)")
            guard let moment = kept.moments[sequence] else { continue }
            #expect(try await history.state(at: .now).state == moment.state)
            #expect(try log.bookmarks() == moment.bookmarks.sorted { $0.name < $1.name }, "\(sequence)")
            #expect(log.head.lock == moment.lock && log.head.invariants == moment.invariants, "\(sequence)")
            #expect(log.head.heldThrough == moment.heldThrough, "\(sequence)")
            let open = try log.outbox()
            #expect(open.map(\.id) == moment.open.map(\.id) && open.map(\.call) == moment.open.map(\.call))
            #expect(open.map(\.pieces) == moment.open.map(\.pieces) && open.map(\.done) == moment.open.map(\.done), "\(sequence)")
            #expect(open.map(\.group) == moment.open.map(\.group) && open.map(\.depth) == moment.open.map(\.depth))
            var keys: [String] = []
            _ = try log.keys(after: nil, rowsMax: .max) { place, _ in keys.append(place.key) }
            #expect(keys == moment.keys, "\(sequence)")
        }
    }

    @Test
    func `at an earlier moment, a command that has ended since counts as started, and one still open is unchanged`() async throws
    {
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

    @Test func `a dispatch that is cut in two keeps its key for the remaining records and ids`() async throws {
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
