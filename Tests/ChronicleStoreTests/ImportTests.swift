import Chronicle
import ChronicleLog
import Testing

@testable import ChronicleStore

@Suite struct ImportTests {
    private struct Broken: Error {}

    @Test func `an import has exclusive write access until it ends, even if it ends with an error`() async throws {
        let source = InMemoryActionLog()
        try await withStore(source) { store in
            for _ in 0..<4 { _ = try await store.dispatch(Dispatch([.add(1)], origin: 1000)) }
        }
        let records = try records(of: source)
        try await withStore { store in
            try await store.writingExclusively {
                try await store.importBatch(ImportBatch(records: Array(records[..<2])))
                #expect(await store.error(of: Dispatch([.add(1)], origin: 1000)) == .busy)
                await #expect(throws: StoreError.busy) { try await store.set(Bookmark(name: "here", sequence: 1), by: 1) }
                await #expect(throws: StoreError.busy) { try await store.submit(.hold(by: 1)) }
                await #expect(throws: StoreError.busy) { try await store.writingExclusively {} }
                try await store.importBatch(ImportBatch(records: Array(records[2...])))
            }
            #expect(store.present.sequence == 4)
            #expect(try await store.dispatch(Dispatch([.add(1)], origin: 1000)).sequences == 5..<6)
        }
        try await withStore { store in
            await #expect(throws: Broken.self) { try await store.writingExclusively { throw Broken() } }
            #expect(await store.error(of: Dispatch([.add(1)], origin: 1000)) == nil)
        }
    }

    /// The records of bookmarks, without the checks of a store.
    private func records(_ bookmarks: [Bookmark]) throws -> [SealedRecord] {
        let source = InMemoryActionLog()
        try append(bookmarks, to: source)
        return try records(of: source)
    }

    private func records(of source: InMemoryActionLog) throws -> [SealedRecord] {
        var records: [SealedRecord] = []
        _ = try source.sealed(from: 1, through: .max, recordsMax: .max, bytesMax: .max) { record in
            records.append(record)
            return true
        }
        return records
    }

    private func append(_ bookmarks: [Bookmark], to log: InMemoryActionLog) throws {
        var flush = Flush(after: log.head)
        for bookmark in bookmarks {
            let sequence = flush.sequence + 1
            flush.stage(RecordHeader(kind: .bookmark, sequence: sequence, time: Int64(sequence), step: sequence)) {
                bookmark.encode(into: &$0)
            }
            flush.apply(bookmark, of: sequence)
        }
        try log.append(flush)
    }

    @Test func `an import is refused if it has too many active bookmarks or a bookmark points to a later record`() async throws {
        let max = Limits.bookmarksMax
        let names = (0...max).map { Bookmark(name: "b\($0)", sequence: 0) }
        let tooMany = try records(names)
        let withdrawn = try records(names.dropLast() + [Bookmark(withdrawing: "b0")] + names.suffix(1))
        let ahead = try records([Bookmark(name: "here", sequence: 1), Bookmark(name: "there", sequence: 3)])
        try await withStore { store in
            for (records, sequence) in [(tooMany, UInt64(max) + 1), (ahead, 2)] {
                do {
                    try await store.writingExclusively { try await store.importBatch(ImportBatch(records: records)) }
                    Issue.record("record \(sequence) was imported")
                } catch StoreError.damaged(sequence, _) {}
                #expect(store.present.sequence == 0)
            }
            try await store.writingExclusively { try await store.importBatch(ImportBatch(records: withdrawn)) }
            #expect(store.present.sequence == UInt64(max) + 2)
        }
    }

    @Test func `an imported edit that does not match its open command, or a result piece out of order, is refused`() async throws
    {
        let call = CommandCall(Tally.Command.fetch("milk"))
        let other = CommandCall(Tally.Command.fetch("bread"))
        let last: [(RecordKind, [UInt8], isTaken: Bool)] = [
            (.edit, CommandEdit(before: call, after: other).canonicalBytes, true),
            (.edit, CommandEdit(before: other, after: call).canonicalBytes, false),
            (.piece, ResultPiece(index: 0).canonicalBytes, true),
            (.piece, ResultPiece(index: 1).canonicalBytes, false),
        ]
        for (kind, payload, isTaken) in last {
            let source = InMemoryActionLog()
            var flush = Flush(after: source.head)
            flush.stage(RecordHeader(sequence: 1, time: 1, step: 1), payload: Tally.Action.add(1).canonicalBytes)
            flush.stage(
                RecordHeader(sequence: 2, time: 2, step: 2, commands: [call]), payload: Tally.Action.add(1).canonicalBytes)
            let cause = CommandID(sequence: 2, index: 0)
            flush.stage(RecordHeader(kind: kind, sequence: 3, time: 3, step: 3, cause: cause), payload: payload)
            try source.append(flush)
            let records = try records(of: source)
            try await withStore { store in
                do {
                    try await store.writingExclusively { try await store.importBatch(ImportBatch(records: records)) }
                    #expect(isTaken)
                } catch StoreError.damaged(3, _) {}
                #expect(store.present.sequence == (isTaken ? 3 : 0))
            }
        }
    }

    @Test func `an empty log can start from the base of another log, holds its commands, and continues there after a restart`()
        async throws
    {
        var row = BaseRow(
            base: Base(sequence: 7, checksum: 99, time: 1_000, archive: "a"),
            state: Tally.State(sum: 5, asked: ["milk"]).canonicalBytes)
        let call = CommandCall(Tally.Command.fetch("milk"))
        row.kept.open = [OutboxRow(id: CommandID(sequence: 3, index: 0), call: call, step: 3, origin: 1000)]
        var standing = CurrentFacts()
        standing.bookmarks = [BookmarkRow(name: "here", sequence: 2, record: 4)]
        standing.lock = Lock(reason: "another log's")
        row.kept.standing = standing
        let key = ImportBatch.Key(place: KeyPlace(uid: 1000, key: "k"), row: KeyRow(first: 3, last: 3, digest: 1))
        var keys = PackedKeys()
        try keys.append(key.row, at: key.place)
        let log = InMemoryActionLog()
        let base = row
        for isFirst in [true, false] {
            try await withStore(log) { store in
                if isFirst {
                    let beginning = ImportBatch(base: base, baseKeys: keys)
                    try await store.writingExclusively { try await store.importBatch(beginning) }
                }
                #expect(store.present.sequence == 7 && store.present.time == 1_000 && store.present.lock == nil)
                #expect(store.present.state == Tally.State(sum: 5, asked: ["milk"]))
                let rows = try await store.commands().map(\.row)
                #expect(rows.map(\.call) == [call] && rows.map(\.isHeld) == [true] && rows.map(\.stage) == [.waiting])
                let key = try log.key("k", of: 1000)
                #expect(try log.bookmarks() == standing.bookmarks && key?.digest == 1)
            }
        }
        try await withStore(log) { store in
            await #expect(throws: StoreError.stale(current: 7)) {
                try await store.writingExclusively { try await store.importBatch(ImportBatch(base: base)) }
            }
            var other = key
            other.row.digest = 2
            let wrong = ImportBatch(keys: [other])
            await #expect(throws: StoreError.self) {
                try await store.writingExclusively { try await store.importBatch(wrong) }
            }
            let added = try await store.dispatch(Dispatch([.add(1)], origin: 1000))
            #expect(added.sequences == 8..<9)
        }
    }

    @Test func `a base with a key that the log already has, or with a key of records after the base, is refused`() async throws {
        let row = BaseRow(
            base: Base(sequence: 7, checksum: 99, time: 1_000, archive: nil), state: Tally.State(sum: 5).canonicalBytes)
        func beginning(_ key: String, upTo last: UInt64) throws -> ImportBatch {
            var keys = PackedKeys()
            try keys.append(KeyRow(first: 3, last: last, digest: 1), at: KeyPlace(uid: 1000, key: key))
            return ImportBatch(base: row, baseKeys: keys)
        }
        try await withStore { store in
            // This dispatch stores its key but no record.
            _ = try await store.dispatch(Dispatch([], origin: 1000, key: "k"))
            for wrong in [try beginning("k", upTo: 3), try beginning("l", upTo: 8)] {
                await #expect(throws: StoreError.damaged(sequence: 7, what: "a key of the dispatches up to it")) {
                    try await store.writingExclusively { try await store.importBatch(wrong) }
                }
                #expect(store.present.sequence == 0)
            }
            let right = try beginning("l", upTo: 7)
            try await store.writingExclusively { try await store.importBatch(right) }
            #expect(store.present.sequence == 7)
        }
    }

    @Test(arguments: [nil, 1] as [UInt64?])
    func `a subscriber of an empty log gets an imported base, then the records after it`(first: UInt64?) async throws {
        let row = BaseRow(
            base: Base(sequence: 7, checksum: 99, time: 1_000, archive: "a"), state: Tally.State(sum: 5).canonicalBytes)
        try await withStore { store in
            let (passed, seen) = (Collected<UInt64>(), Collected<UInt64>())
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    try await store.watchRecords(from: first, scope: nil) { base, _ in
                        passed.add(base.sequence)
                    } make: { records, _ in
                        records
                    } deliver: { records in
                        for record in records { seen.add(record.header.sequence) }
                    }
                }
                // The subscriber waits.
                while store.publisher.waiting == 0 { await Task.yield() }
                try await store.writingExclusively { try await store.importBatch(ImportBatch(base: row)) }
                for _ in 0..<2 { _ = try await store.dispatch(Dispatch([.add(1)], origin: 1000)) }
                #expect(try await seen.wait(for: 2) == [8, 9])
                #expect(try await passed.wait(for: 1) == [7])
                group.cancelAll()
                while await group.nextResult() != nil {}
            }
            #expect(store.log.base?.archive == nil)
            // A new subscriber requests records that the log does not have.
            await #expect(throws: StoreError.pruned(base: 7)) {
                try await store.watchRecords(from: 1, scope: nil) { _, _ in
                    Issue.record("it was not empty")
                } make: { records, _ in
                    records
                } deliver: { _ in
                }
            }
        }
    }

    @Test func `a base with an unreadable state is refused, and the log stays empty`() async throws {
        let row = BaseRow(base: Base(sequence: 7, checksum: 99, time: 1_000, archive: "a"), state: [255])
        try await withStore { store in
            await #expect(throws: StoreError.self) {
                try await store.writingExclusively { try await store.importBatch(ImportBatch(base: row)) }
            }
            #expect(store.present.sequence == 0)
            let added = try await store.dispatch(Dispatch([.add(1)], origin: 1000))
            #expect(added.sequences == 1..<2)
        }
    }

    @Test func `a log that already has too many bookmarks, or bookmarks that point ahead, can still be used`() async throws {
        let log = InMemoryActionLog()
        try append((0...Limits.bookmarksMax).map { Bookmark(name: "b\($0)", sequence: 9_999) }, to: log)
        try await withStore(log) { store in
            #expect(try log.bookmarks().count == Limits.bookmarksMax + 1)
            _ = try await store.set(Bookmark(name: "b1", sequence: 1), by: 1)
            _ = try await store.set(Bookmark(withdrawing: "b2"), by: 1)
        }
    }
}
