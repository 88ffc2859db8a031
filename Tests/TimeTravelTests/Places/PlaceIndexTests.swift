import Chronicle
import ChronicleLog
import ChronicleStore
import DiskLog
import Expressions
import FeatureApp
import FeatureCounter
import FeatureTodos
import Glibc
import TestSupport
import Testing
import TimeTravel

/// Compares queries that use the path index with a linear walk through all states.
@Suite struct PlaceIndexTests {
    private static let runRecords: UInt64 = 32
    private static let fields = [
        "id", "title", "note", "tags", "priority", "due", "created", "completed", "wait", "after", "every", "remind", "reminded",
        "origin", "series", "remindBefore",
    ]

    /// A deadline that is late enough for the whole index to be written, however busy the machine is.
    private static var someday: ContinuousClock.Instant { .now + .seconds(86_400) }

    let directory = TemporaryDirectory()
    let queries = QueryThread()

    private func history(_ log: any ActionLog, base: PastState<App> = PastState(state: App.State())) -> History<App> {
        let files = SnapshotStore(directory: directory.path, runRecords: Self.runRecords)
        return History(log, snapshots: files, fingerprint: "code", base: base, queries: queries)
    }

    private func made(_ seed: UInt64, records: Int = 150) throws -> SampleLog {
        try SampleLog.random(seed, records: records, in: try LMDBActionLog.open(directory: directory.path, configuration: .small))
    }

    private func all(_ query: LogQuery, of history: History<App>) async throws -> [UInt64] {
        var cursor = try await history.log(query)
        var found: [UInt64] = []
        while cursor.hasMore { found += try await history.page(of: &cursor).map(\.last) }
        return found
    }

    /// All paths that exist in any state, and some that exist in no state.
    private func places(of sample: SampleLog) throws -> [Path] {
        let ids = Set(sample.states.flatMap { $0.todos.items.elements.map(\.id) }).sorted() + [9_999]
        var texts = App.scopes + ["todos.items[@0].title", "todos.items[@-1]", "todos.items[-1]", "todos.items[0].title"]
        for id in ids {
            texts += ["todos.items[\(id)]", "todos.items[\(id)].tags[@0]"] + Self.fields.map { "todos.items[\(id)].\($0)" }
        }
        return try texts.map { try Path($0, of: App.shape) }
    }

    /// Checks that a query for a path returns exactly the records that changed it.
    ///
    /// - Parameter step: the stride between the paths that are checked.
    private func check(_ sample: SampleLog, by history: History<App>, from first: UInt64 = 1, step: Int = 9) async throws {
        let base = try PastState<App>(beginningOf: sample.log, initial: App.State())
        let walk = History(sample.log, snapshots: nil, fingerprint: "walk", base: base, queries: queries)
        var found = 0
        for (number, path) in try places(of: sample).enumerated() where number % step == 0 {
            var query = LogQuery(from: .sequence(first), path: path, groupsTyping: false)
            let expected = try await all(query, of: walk)
            found += expected.count
            #expect(try await all(query, of: history) == expected, "\(path)")
            query.order = .reverse
            #expect(try await all(query, of: history) == expected.reversed(), "\(path)")
            guard number % 7 < 2 else { continue }
            query.limit = 2
            query.origin = 1001
            let own = expected.filter { sample.headers[Int($0) - 1].origin == 1001 }
            #expect(try await all(query, of: history) == own.suffix(2).reversed(), "\(path)")
            query = LogQuery(condition: try Expression("counter.count >= old.counter.count", on: .change), path: path)
            query.groupsTyping = false
            #expect(try await all(query, of: history) == (try await all(query, of: walk)), "\(path)")
            let origins = try await history.origins(of: path)
            #expect(origins == (try await walk.origins(of: path)), "\(path)")
        }
        #expect(found > 20)
    }

    @Test(arguments: 0..<3 as Range<UInt64>)
    func `in a random log, the index finds the same records as a linear walk for each path`(seed: UInt64) async throws {
        let sample = try made(seed)
        let history = history(sample.log)
        try await history.indexPaths()
        try await check(sample, by: history, step: 3)
        // A new history, which has only the index files.
        try await check(sample, by: self.history(sample.log))
    }

    @Test func `a query for an indexed path folds no record, even after a restart`() async throws {
        let sample = try made(11)
        let first = history(sample.log)
        try await first.indexPaths(until: Self.someday)
        for history in [first, history(sample.log)] {
            let before = history.work
            for path in try places(of: sample) where !path.description.contains("@") && !path.description.contains("tags[") {
                if path.description.contains("-1") || path.description.contains("[0]") { continue }
                for order in [.forward, .reverse] as [LogQuery.Order] {
                    _ = try await all(LogQuery(path: path, order: order), of: history)
                }
            }
            #expect(history.work == before)
        }
    }

    @Test func `a query indexes the records that were added since and folds no others`() async throws {
        var sample = try made(12)
        let history = history(sample.log)
        try await history.indexPaths()
        let before = history.work.folded
        for _ in 0..<40 { try sample.dispatch([.todos(.add([Todo(title: "More")])), .counter(.increment)]) }
        let path = try Path("todos.items[\(sample.state.todos.nextID - 1)].title")
        #expect(try await all(LogQuery(limit: 1, path: path, order: .reverse), of: history) == [sample.head - 1])
        #expect(history.work.folded - before == 80)
        try await check(sample, by: history)
    }

    @Test func `a query of a growing log finds all records`() async throws {
        var sample = try made(13, records: 100)
        let history = history(sample.log)
        let walk = sample.history(queries: queries)
        for round in 0..<12 {
            try sample.dispatch([.todos(.add([Todo(title: "More")])), .counter(.increment), .todos(.complete(1 + UInt64(round)))])
            if round % 3 == 0 { try await history.indexPaths(until: round % 2 == 0 ? Self.someday : nil) }
            for text in ["todos.items[1]", "todos.items[\(round + 1)].completed", "counter.count", "todos.draft"] {
                for order in [.forward, .reverse] as [LogQuery.Order] {
                    let query = LogQuery(path: try Path(text), order: order, groupsTyping: false)
                    #expect(try await all(query, of: history) == (try await all(query, of: walk)), "\(text)")
                }
            }
        }
        try await check(sample, by: history)
    }

    private func files() -> [String] {
        let firsts = SnapshotStore(directory: directory.path, runRecords: Self.runRecords).places?.firsts() ?? []
        return firsts.map { first in
            "\(directory.path)/travel/places-" + String(repeating: "0", count: 20 - "\(first)".utf8.count) + "\(first)"
        }
    }

    @Test func `lost or damaged index files are replaced by a linear walk, and then rebuilt`() async throws {
        let sample = try made(14)
        try await history(sample.log).indexPaths(until: Self.someday)
        let whole = files()
        try #require(whole.count == 5)
        let bytes = try whole.map { try Bytes.read($0) }
        unlink(whole[0])
        for (index, place) in [(1, 30), (3, bytes[3].count - 5)] {
            var damaged = bytes[index]
            damaged[place] ^= 0x10
            try Bytes.write(damaged, to: whole[index])
        }
        // A truncated file, and a file in the place of another.
        try Bytes.write(Array(bytes[2].prefix(100)), to: whole[2])
        try Bytes.write(bytes[0], to: whole[4])
        let history = history(sample.log)
        try await check(sample, by: history)
        try await history.indexPaths(until: Self.someday)
        #expect(files() == whole)
        #expect(try whole.map { try Bytes.read($0) } == bytes)
        let before = history.work
        _ = try await all(LogQuery(path: try Path("todos.items[1]")), of: history)
        #expect(history.work == before)
    }

    @Test func `an index file with a flipped bit never returns wrong records`() async throws {
        let sample = try made(15, records: 40)
        try await history(sample.log).indexPaths(until: Self.someday)
        let places = try #require(SnapshotStore(directory: directory.path, runRecords: Self.runRecords).places)
        let file = try #require(files().first)
        let bytes = try Bytes.read(file)
        let keys = [PlaceKey(scope: 1), PlaceKey(anyElementOf: 1)] + (1...20).compactMap { PlaceKey(scope: 1, element: $0) }
        let expected = try #require(places.hits(keys, in: 1)?.hits)
        let run = places.read(1)
        for index in bytes.indices {
            var damaged = bytes
            damaged[index] ^= UInt8(1 << (index % 8))
            try Bytes.write(damaged, to: file)
            // Damage in a page that is not read is not detected, but each answer is correct.
            #expect(places.hits(keys, in: 1).map { $0.hits == expected } ?? true)
            #expect(places.read(1) == nil || places.read(1) == run)
        }
    }

    @Test func `index files of other code or of another log are not used`() async throws {
        let sample = try made(16)
        let files = SnapshotStore(directory: directory.path, runRecords: Self.runRecords)
        let other = History(
            sample.log, snapshots: files, fingerprint: "other", base: PastState<App>(state: App.State()), queries: queries)
        try await other.indexPaths(until: Self.someday)
        let history = history(sample.log)
        let before = history.work.folded
        _ = try await all(LogQuery(path: try Path("todos.items[1]")), of: history)
        #expect(history.work.folded > before)
        try await history.indexPaths(until: Self.someday)
        try await check(sample, by: self.history(sample.log))
        // The index files of another log of the same length.
        let strange = try SampleLog.random(17, records: 150)
        try await check(strange, by: self.history(strange.log))
    }

    @Test func `a redaction removes the index from its record on, and that part is rebuilt`() async throws {
        let sample = try made(18)
        let history = history(sample.log)
        try await history.indexPaths(until: Self.someday)
        let edited = try #require(
            sample.actions.indices.first { index in
                if index > 70, case .todos(.add)? = sample.actions[index] { true } else { false }
            })
        let sequence = UInt64(edited + 1)
        let files = SnapshotStore(directory: directory.path, runRecords: Self.runRecords)
        let kept = try #require(files.places?.firsts())
        files.removeAll(from: sequence)
        #expect(files.places?.firsts() == kept.filter { $0 + Self.runRecords <= sequence })
        try sample.log.redact(sequence, payload: App.Action.counter(.increment).canonicalBytes)
        for history in [history, self.history(sample.log)] {
            try await check(sample, by: history)
            try await history.indexPaths(until: Self.someday)
            try await check(sample, by: history)
        }
        #expect(files.places?.firsts() == kept)
    }

    @Test func `a compaction removes the index before the base, and later records are found as before`() async throws {
        let sample = try made(19)
        let history = history(sample.log)
        try await history.indexPaths(until: Self.someday)
        let log = try #require(sample.log as? LMDBActionLog)
        let past = try await history.state(at: .sequence(50))
        try log.compact(to: past)
        history.begin(with: past)
        let files = SnapshotStore(directory: directory.path, runRecords: Self.runRecords)
        files.removeAll(before: 50)
        #expect(files.places?.firsts().first == 33)
        try await check(sample, by: history, from: 51)
        try await check(sample, by: self.history(log, base: try PastState(beginningOf: log, initial: App.State())), from: 51)
        // The rebuilt run that contains the base begins after it.
        files.places?.remove(33)
        try await check(sample, by: history, from: 51)
        try await history.indexPaths()
        #expect(files.places?.summary(33)?.from == 51)
        try await check(sample, by: history, from: 51)
    }

    @Test(arguments: [LogQuery.Order.forward, .reverse])
    func `an index file with only the middle of its run is used, and a linear walk covers the rest`(
        order: LogQuery.Order
    ) async throws {
        var sample = try made(21, records: 60)
        let base = try await sample.history(queries: queries).state(at: .sequence(40))
        try await history(sample.log, base: base).indexPaths(until: Self.someday)
        let places = try #require(SnapshotStore(directory: directory.path, runRecords: Self.runRecords).places)
        let noted = try #require(places.summary(33))
        try #require(noted.from == 41 && noted.last == sample.head && sample.head < 64)
        while sample.head < 70 {
            try sample.dispatch([.todos(.edit(1, TodoChanges(note: "\(sample.head)"))), .counter(.increment)])
        }
        // A new history. Some ranges begin or end in the indexed part, some before it and some after it.
        for (first, last) in [(50, 70), (35, 50), (35, 70), (41, 61), (20, 41), (64, 70)] as [(UInt64, UInt64)] {
            for text in ["counter.count", "todos.items[1]", "todos.items[1].note", "todos.draft"] {
                let query = LogQuery(
                    from: .sequence(first), to: .sequence(last), path: try Path(text), order: order, groupsTyping: false)
                let walked = try await all(query, of: sample.history(queries: queries))
                #expect(try await all(query, of: history(sample.log)) == walked, "\(text) from \(first) to \(last)")
            }
        }
    }

    @Test
    func `a record that changes more elements than the index lists is always checked, so that no change is missed`() async throws
    {
        var sample = try made(20, records: 100)
        try sample.dispatch([.todos(.add(Array(repeating: Todo(title: "Many"), count: 150)))])
        let many = sample.head
        try sample.dispatch([.counter(.increment), .todos(.edit(3, TodoChanges(title: "Bread"))), .todos(.complete(150))])
        while sample.head < 200 { try sample.dispatch([.counter(.increment)]) }
        let history = history(sample.log)
        try await history.indexPaths(until: Self.someday)
        for id in [3, 150, 200] {
            for text in ["todos.items[\(id)]", "todos.items[\(id)].title", "todos.items[\(id)].completed"] {
                for order in [.forward, .reverse] as [LogQuery.Order] {
                    let query = LogQuery(path: try Path(text), order: order, groupsTyping: false)
                    #expect(
                        try await all(query, of: history) == (try await all(query, of: sample.history(queries: queries))),
                        "\(text)")
                }
            }
        }
        let before = history.work.folded
        #expect(try await all(LogQuery(path: try Path("todos.items[200].note")), of: history) == [])
        #expect(history.work.folded - before <= many)
    }
}

/// The bytes of files.
private enum Bytes {
    static func read(_ path: String) throws -> [UInt8] {
        let file = try #require(fopen(path, "r"))
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        let count = fread(&bytes, 1, bytes.count, file)
        return Array(bytes.prefix(count))
    }

    static func write(_ bytes: [UInt8], to path: String) throws {
        let file = try #require(fopen(path, "w"))
        defer { fclose(file) }
        #expect(fwrite(bytes, 1, bytes.count, file) == bytes.count)
    }
}
