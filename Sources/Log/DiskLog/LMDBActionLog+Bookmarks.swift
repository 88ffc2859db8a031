public import ChronicleLog
internal import LMDB

extension LMDBActionLog {
    public func bookmark(_ name: String) throws(ActionLogError) -> BookmarkRow? {
        guard (1...Bookmark.nameBytesMax).contains(name.utf8.count) else { return nil }
        var key: [UInt8] = []
        RowKey.append(bookmark: name, to: &key)
        let found = try environment.read { (transaction) throws(ActionLogError) in
            try transaction.get(key.span.bytes, in: tables.meta) { (value) throws(ActionLogError) in
                try Self.bookmarkRow(name, key.span.bytes, value)
            }
        }
        guard let row = found else { return nil }
        return damage != nil && row.record > head.sequence ? nil : row
    }

    public func bookmarks() throws(ActionLogError) -> [BookmarkRow] {
        var rows: [BookmarkRow] = []
        do throws(ActionLogError) {
            try environment.read { (transaction) throws(ActionLogError) in
                try transaction.eachRow(of: tables.meta, from: RowKey.bookmark) { (key, value) throws(ActionLogError) in
                    guard let name = RowKey.bookmarkName(key) else { return false }
                    rows.append(try Self.bookmarkRow(name, key, value))
                    return true
                }
            }
        } catch {
            guard damage != nil else { throw error }
        }
        return damage == nil ? rows : rows.filter { $0.record <= head.sequence }
    }

    private static func bookmarkRow(_ name: String, _ key: RawSpan, _ value: RawSpan) throws(ActionLogError) -> BookmarkRow {
        var row = try Row.open(value, key: key, as: BookmarkRow.self, sequence: 0, of: "the row of the bookmark \(name)")
        row.name = name
        return row
    }
}
