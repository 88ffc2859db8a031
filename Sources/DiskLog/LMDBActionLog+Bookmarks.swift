public import ActionLogs
internal import LMDB

extension LMDBActionLog {
    /// Where a bookmark stands.
    public func bookmark(_ name: String) throws(ActionLogError) -> BookmarkRow? {
        guard (1...Bookmark.nameBytesMax).contains(name.utf8.count) else { return nil }
        var key: [UInt8] = []
        RowKey.append(bookmark: name, to: &key)
        let found: Result<BookmarkRow, ActionLogError>?
        do {
            found = try environment.read { (transaction) throws(LMDBError) in
                try transaction.get(key.span.bytes, in: tables.meta) { Self.bookmarkRow(name, key.span.bytes, $0) }
            }
        } catch {
            throw ActionLogError(reading: error, sequence: 0)
        }
        guard let row = try found?.get() else { return nil }
        return damage != nil && row.record > head.sequence ? nil : row
    }

    /// All bookmarks.
    public func bookmarks() throws(ActionLogError) -> [BookmarkRow] {
        var rows: [BookmarkRow] = []
        var failure: ActionLogError?
        try forEachBookmark { name, key, value in
            switch Self.bookmarkRow(name, key, value) {
            case .success(let row): rows.append(row)
            case .failure(let error): failure = error
            }
            return failure == nil
        }
        if let failure, damage == nil { throw failure }
        return damage == nil ? rows : rows.filter { $0.record <= head.sequence }
    }

    /// How many bookmarks there are, counted up to a maximum.
    public func bookmarkCount(upTo max: Int) throws(ActionLogError) -> Int {
        var count = 0
        try forEachBookmark { _, _, _ in
            count += 1
            return count < max
        }
        return count
    }

    // The name, the key and the value of each row, until the closure has enough.
    private func forEachBookmark(_ body: (String, RawSpan, RawSpan) -> Bool) throws(ActionLogError) {
        do {
            try environment.read { (transaction) throws(LMDBError) in
                try transaction.withCursor(tables.meta) { (cursor) throws(LMDBError) in
                    let take: (RawSpan, RawSpan) -> Bool = { key, value in
                        guard let name = RowKey.bookmarkName(key) else { return false }
                        return body(name, key, value)
                    }
                    let first = RowKey.bookmark
                    var goesOn = try cursor.seek(first.span.bytes, take) ?? false
                    while goesOn { goesOn = try cursor.next(take) ?? false }
                }
            }
        } catch {
            throw ActionLogError(reading: error, sequence: 0)
        }
    }

    private static func bookmarkRow(_ name: String, _ key: RawSpan, _ value: RawSpan) -> Result<BookmarkRow, ActionLogError> {
        do throws(ActionLogError) {
            var row = try Row.open(value, key: key, as: BookmarkRow.self, sequence: 0, of: "the row of the bookmark \(name)")
            row.name = name
            return .success(row)
        } catch {
            return .failure(error)
        }
    }
}
