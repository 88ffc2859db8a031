import ChronicleValues
import TestSupport
import Testing

@testable import ChronicleLog
@testable import DiskLog

@Suite struct SubscriptionRowTests {
    let directory = TemporaryDirectory()
    static let rows = [
        SubscriptionRow(name: "archive", position: 0, owner: 0),
        SubscriptionRow(
            name: "mail", position: 300, owner: .max,
            filter: RecordFilter(feature: "todos", actions: ["complete", "todos.reopen"], origin: 0)),
        SubscriptionRow(name: "отчёт", position: 1 << 52, owner: 1_000, filter: RecordFilter(origin: .max)),
        SubscriptionRow(
            name: "растёт", position: 7, owner: 1_000, filter: RecordFilter(condition: "new.counter.count > old.counter.count")),
    ]

    @Test(arguments: LogMaking.allCases) func `subscriptions come back by name, as they were set last`(making: LogMaking) throws {
        let log = try making.make(in: directory)
        var flush = Flush(after: log.head)
        for var row in Self.rows.reversed() {
            row.filter.feature = "counter"
            flush.set(row)
        }
        for row in Self.rows { flush.set(row) }
        flush.set(SubscriptionRow(name: "gone", position: 4, owner: 5))
        flush.set(BookmarkRow(name: "mail", sequence: 1, record: 1))
        try log.append(flush)
        flush.restart(after: log.head)
        flush.removeSubscription("gone")
        flush.removeSubscription("never there")
        #expect(!flush.isEmpty)
        try log.append(flush)
        #expect(try log.subscriptions().rows == Self.rows)
        // A bookmark of the same name is another row.
        #expect(try log.bookmarks().map(\.name) == ["mail"] && log.head.sequence == 0)
    }

    @Test func `they are there when the log is opened again, in a copy, and after a compaction`() throws {
        func read(_ directory: String) throws -> [SubscriptionRow] {
            try LMDBActionLog.openReadOnly(directory: directory, configuration: .small).subscriptions().rows
        }
        do {
            let log = try LMDBActionLog.open(directory: directory.path + "/log", configuration: .small)
            try log.append([[1], [2], [3]])
            var flush = Flush(after: log.head)
            for row in Self.rows { flush.set(row) }
            try log.append(flush)
            let base = Base(sequence: 2, checksum: try log.checksum(of: 2) ?? 0, time: 1, archive: "archive-1-2.jsonl")
            try log.beginCompaction()
            defer { log.endCompaction() }
            let copy = try log.compactedCopy(after: base, state: RawState([1]), telling: CompactionSummary()) { _ in true }
            flush.restart(after: log.head)
            flush.set(SubscriptionRow(name: "mail", position: 1, owner: 2))
            try log.append(flush)
            try log.compact(to: copy)
            #expect(try log.subscriptions().rows[1].position == 1 && log.subscriptions().rows.count == Self.rows.count)
        }
        #expect(try read(directory.path + "/log").map(\.name) == Self.rows.map(\.name))
    }

    @Test func `one that is not as it was written is known by its name, and all others are there`() throws {
        let log = try LMDBActionLog.open(directory: directory.path, configuration: .small)
        var flush = Flush(after: log.head)
        for row in Self.rows { flush.set(row) }
        try log.append(flush)
        var (mail, archive): ([UInt8], [UInt8]) = ([], [])
        RowKey.append(subscription: "mail", to: &mail)
        RowKey.append(subscription: "archive", to: &archive)
        // In the place of another one it is as wrong as with another byte.
        try log.setRowValue(try log.rowValue(mail, in: .meta), of: archive, in: .meta)
        let stored = try log.subscriptions()
        #expect(stored.damaged == ["archive"] && stored.rows == Array(Self.rows[1...]))
        try log.checkEnds()
    }

    @Test func `a subscription is written in the form in which it was first`() throws {
        var flush = Flush(after: Head(epoch: 8, storeID: ""))
        for row in Self.rows { flush.set(row) }
        let lines = flush.rowChanges.map {
            "meta \(GoldenTests.hex(flush.rows.bytes[$0.key])) \(GoldenTests.hex(flush.rows.bytes[$0.value]))"
        }
        for (index, line) in lines.enumerated() {
            let golden = GoldenTests.golden("subscription.txt")
            #expect(golden.indices.contains(index) && golden[index] == line, "line \(index + 1) would be: \(line)")
        }
    }
}
