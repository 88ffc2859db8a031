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
        do {
            try environment.read { (transaction) throws(LMDBError) in
                try transaction.withCursor(tables.meta) { (cursor) throws(LMDBError) in
                    let take: (RawSpan, RawSpan) -> Bool = { key, value in
                        guard let name = RowKey.bookmarkName(key) else { return false }
                        switch Self.bookmarkRow(name, key, value) {
                        case .success(let row): rows.append(row)
                        case .failure(let error): failure = error
                        }
                        return failure == nil
                    }
                    let first = RowKey.bookmark
                    var goesOn = try cursor.seek(first.span.bytes, take) ?? false
                    while goesOn { goesOn = try cursor.next(take) ?? false }
                }
            }
        } catch {
            throw ActionLogError(reading: error, sequence: 0)
        }
        if let failure, damage == nil { throw failure }
        return damage == nil ? rows : rows.filter { $0.record <= head.sequence }
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
