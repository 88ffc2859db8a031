import Chronicle
import ChronicleLog
import ChronicleStore
import ChronicleTesting
import Testing

@Suite struct BookmarkTests {
    @Test func `a bookmark is logged in order with the dispatches and stored as a row`() async throws {
        let log = InMemoryActionLog()
        let store = Store<Tally>(try RecoveryResult(from: log, initial: Tally.State()), log: log, options: StoreOptions(build: 7))
        async let first = store.dispatch(Dispatch([.add(1)], origin: 1000))
        _ = try await first
        let answer = try await store.set(Bookmark(name: "here", sequence: 1), by: 1001)
        #expect(answer.sequences == 2..<3)
        _ = try await store.dispatch(Dispatch([.add(2)], origin: 1000))
        #expect(try log.bookmark("here") == BookmarkRow(name: "here", sequence: 1, record: 2))
        #expect(store.present.sequence == 3 && store.status.records == 3)
        var kinds: [RecordKind] = []
        _ = try log.read(from: 1, through: 3) { header, _ in
            kinds.append(header.kind)
            if header.kind == .bookmark {
                #expect(header.origin == 1001 && header.step == 2 && header.build == 7)
            }
            return true
        }
        #expect(kinds == [.action, .bookmark, .action])
        _ = try await store.set(Bookmark(name: "here", sequence: 3), by: 1000)
        #expect(try log.bookmark("here") == BookmarkRow(name: "here", sequence: 3, record: 4))
        await store.stop()
    }

    @Test func `removing a bookmark logs a record if the bookmark exists`() async throws {
        let log = InMemoryActionLog()
        let store = Store<Tally>(try RecoveryResult(from: log, initial: Tally.State()), log: log, options: StoreOptions(build: 7))
        _ = try await store.set(Bookmark(name: "here", sequence: 0), by: 1001)
        let answer = try await store.set(Bookmark(withdrawing: "here"), by: 1002)
        #expect(answer.sequences == 2..<3)
        #expect(try log.bookmark("here") == nil)
        await #expect(throws: StoreError.unknownBookmark("here")) { try await store.set(Bookmark(withdrawing: "here"), by: 1) }
        #expect(log.head.sequence == 2)
        await store.stop()
    }

    @Test func `a bookmark above the maximum is refused until another one is removed`() async throws {
        let log = FailingLog()
        let store = Store<Tally>(try RecoveryResult(from: log, initial: Tally.State()), log: log, options: StoreOptions(build: 7))
        let max = Limits.bookmarksMax
        for number in 1..<max { _ = try await store.set(Bookmark(name: "b\(number)", sequence: 0), by: 1) }
        // A bookmark whose flush failed does not count.
        log.failNext()
        await #expect(throws: StoreError.self) { try await store.set(Bookmark(name: "b\(max)", sequence: 0), by: 1) }
        _ = try await store.set(Bookmark(name: "b\(max)", sequence: 0), by: 1)
        await #expect(throws: StoreError.tooManyBookmarks(max: max)) {
            try await store.set(Bookmark(name: "more", sequence: 0), by: 1)
        }
        _ = try await store.set(Bookmark(name: "b7", sequence: 9), by: 1)
        _ = try await store.set(Bookmark(withdrawing: "b8"), by: 1)
        _ = try await store.set(Bookmark(name: "more", sequence: 0), by: 1)
        #expect(try log.bookmarks().count == max)
        await store.stop()
    }

    @Test func `a uid can set only its share of the bookmarks, even after a restart`() async throws {
        let log = InMemoryActionLog()
        var store = Store<Tally>(try RecoveryResult(from: log, initial: Tally.State()), log: log, options: StoreOptions(build: 7))
        let max = Limits.bookmarksMax / 2
        for number in 1...max { _ = try await store.set(Bookmark(name: "b\(number)", sequence: 0), by: 7, isOfOwner: true) }
        for _ in 1...2 {
            await #expect(throws: StoreError.tooManyBookmarks(max: max, of: 7)) {
                try await store.set(Bookmark(name: "more", sequence: 0), by: 7, isOfOwner: true)
            }
            await store.stop()
            store = Store<Tally>(try RecoveryResult(from: log, initial: Tally.State()), log: log, options: StoreOptions(build: 7))
        }
        _ = try await store.set(Bookmark(name: "b1", sequence: 1), by: 7, isOfOwner: true)
        for number in 1...max / 2 {
            _ = try await store.set(Bookmark(name: "other \(number)", sequence: 0), by: 8, isOfOwner: true)
        }
        await #expect(throws: StoreError.tooManyBookmarks(max: max / 2, of: 8)) {
            try await store.set(Bookmark(name: "more", sequence: 0), by: 8, isOfOwner: true)
        }
        // Moving a bookmark makes the caller its owner.
        _ = try await store.set(Bookmark(name: "other 1", sequence: 1), by: 9, isOfOwner: true)
        for name in ["b2", "b3"] { _ = try await store.set(Bookmark(withdrawing: name), by: 7, isOfOwner: true) }
        _ = try await store.set(Bookmark(name: "more", sequence: 0), by: 8, isOfOwner: true)
        _ = try await store.set(Bookmark(name: "by an administrator", sequence: 0), by: 7)
        await store.stop()
    }

    @Test func `a read-only store refuses bookmarks`() async throws {
        let log = InMemoryActionLog()
        let store = Store<Tally>(
            try RecoveryResult(from: log, initial: Tally.State()), log: log, options: StoreOptions(access: .readOnly))
        await #expect(throws: StoreError.readOnly) { try await store.set(Bookmark(name: "here", sequence: 0), by: 1) }
        #expect(try log.bookmarks().isEmpty && log.head.sequence == 0)
        await store.stop()
    }
}
