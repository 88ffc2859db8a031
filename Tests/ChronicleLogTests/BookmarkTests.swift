import ChronicleValues
import TestSupport
import Testing

@testable import ChronicleLog

@Suite struct BookmarkTests {
    let directory = TemporaryDirectory()

    @Test(arguments: LogMaking.allCases) func `a bookmark names the sequence that was set last`(making: LogMaking) throws {
        let log = try making.make(in: directory)
        #expect(try log.bookmark("a") == nil)
        #expect(try log.bookmarks() == [])
        var flush = Flush(after: log.head)
        flush.set(BookmarkRow(name: "b", sequence: 3, record: 4))
        flush.set(BookmarkRow(name: "a", sequence: 0, record: 5))
        flush.set(BookmarkRow(name: "Été", sequence: 1, record: 6))
        try log.append(flush)
        var second = Flush(after: log.head)
        second.set(BookmarkRow(name: "b", sequence: 9, record: 12))
        try log.append(second)
        #expect(try log.bookmark("b") == BookmarkRow(name: "b", sequence: 9, record: 12))
        #expect(try log.bookmark("B") == nil)
        #expect(try log.bookmark("") == nil)
        #expect(try log.bookmark(String(repeating: "b", count: 600)) == nil)
        #expect(try log.bookmarks().map(\.name) == ["a", "b", "Été"])
        try log.checkEnds()
    }

    @Test(arguments: LogMaking.allCases) func `a removed bookmark is gone and can be set again`(making: LogMaking) throws {
        let log = try making.make(in: directory)
        var flush = Flush(after: log.head)
        for (record, name) in ["a", "b", "c"].enumerated() {
            flush.apply(Bookmark(name: name, sequence: 0), of: UInt64(record) + 1)
        }
        flush.apply(Bookmark(withdrawing: "b"), of: 4)
        // Removing a missing bookmark is harmless. An imported history may contain such a record.
        flush.apply(Bookmark(withdrawing: "d"), of: 5)
        try log.append(flush)
        #expect(try log.bookmark("b") == nil)
        #expect(try log.bookmarks().map(\.name) == ["a", "c"])
        var second = Flush(after: log.head)
        second.apply(Bookmark(withdrawing: "a"), of: 6)
        second.apply(Bookmark(name: "b", sequence: 5), of: 7)
        try log.append(second)
        #expect(
            try log.bookmarks() == [
                BookmarkRow(name: "b", sequence: 5, record: 7), BookmarkRow(name: "c", sequence: 0, record: 3),
            ])
        try log.checkEnds()
    }

    @Test func `a bookmark is still there after the log was reopened`() throws {
        do {
            let log = try LogMaking.disk.make(in: directory)
            var flush = Flush(after: log.head)
            flush.set(BookmarkRow(name: "a", sequence: 3, record: 4))
            try log.append(flush)
        }
        #expect(try LogMaking.disk.make(in: directory).bookmark("a")?.sequence == 3)
    }

    @Test func `the payload of a bookmark has one canonical form`() throws {
        let bookmark = Bookmark(name: "a", sequence: 300)
        #expect(bookmark.canonicalBytes == [5, 1, 0x61, 8, 0xAC, 2])
        #expect(try Bookmark(canonical: bookmark.canonicalBytes) == bookmark)
        #expect(throws: (any Error).self) { try Bookmark(canonical: [8, 1]) }
        let withdrawal = Bookmark(withdrawing: "a")
        #expect(withdrawal.canonicalBytes == [5, 1, 0x61, 12, 1])
        #expect(try Bookmark(canonical: withdrawal.canonicalBytes) == withdrawal)
    }

    @Test(arguments: LogMaking.allCases) func `the rows of keys are read page by page`(making: LogMaking) throws {
        let log = try making.make(in: directory)
        #expect(try log.keys(after: nil, rowsMax: 10) { _, _ in Issue.record("the bookmark is missing") } == nil)
        var flush = Flush(after: log.head)
        let places = [(2, "b"), (1, "z"), (1, "a"), (300, "c"), (1, "ab")] as [(UInt32, String)]
        for (uid, key) in places { try flush.stage(KeyRow(first: 0, last: 0, digest: UInt64(uid)), key: key, of: uid) }
        try log.append(flush)
        for rowsMax in 1...6 {
            var read: [KeyPlace] = []
            var place: KeyPlace?
            repeat {
                var count = 0
                place = try log.keys(after: place, rowsMax: rowsMax) { place, row in
                    read.append(place)
                    count += 1
                    #expect(row.digest == UInt64(place.uid))
                }
                #expect(count <= rowsMax)
            } while place != nil
            #expect(read.map(\.key) == ["a", "ab", "z", "b", "c"], "\(rowsMax)")
        }
    }
}
