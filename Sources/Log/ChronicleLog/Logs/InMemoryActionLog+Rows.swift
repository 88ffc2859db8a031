internal import Synchronization

extension InMemoryActionLog {
    public func keys(
        after place: KeyPlace?, rowsMax: Int, _ body: (KeyPlace, KeyRow) -> Void
    ) throws(ActionLogError) -> KeyPlace? {
        var start: [UInt8] = []
        if let place { try RowKey.append(place.key, of: place.uid, to: &start) }
        let stored = content.withLock { $0.keys }
        let behind = stored.filter { start.lexicographicallyPrecedes($0.key) }
            .sorted { $0.key.lexicographicallyPrecedes($1.key) }
        var last: KeyPlace?
        for (key, value) in behind.prefix(max(rowsMax, 0)) {
            guard let place = RowKey.keyPlace(key.span.bytes) else {
                throw .damaged(sequence: 0, what: "the key of a row of keys")
            }
            body(
                place,
                try Row.open(
                    value.span.bytes, key: key.span.bytes, as: KeyRow.self, sequence: 0,
                    of: "the row of a key of uid \(place.uid)"))
            last = place
        }
        return behind.count > rowsMax ? last : nil
    }

    public func bookmark(_ name: String) throws(ActionLogError) -> BookmarkRow? {
        var key: [UInt8] = []
        RowKey.append(bookmark: name, to: &key)
        guard let value = content.withLock({ $0.bookmarks[key] }) else { return nil }
        return try Self.bookmarkRow(key, value)
    }

    public func bookmarks() throws(ActionLogError) -> [BookmarkRow] {
        var rows: [BookmarkRow] = []
        let stored = content.withLock { $0.bookmarks }
        for (key, value) in stored.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
            rows.append(try Self.bookmarkRow(key, value))
        }
        return rows
    }

    private static func bookmarkRow(_ key: [UInt8], _ value: [UInt8]) throws(ActionLogError) -> BookmarkRow {
        let name = RowKey.bookmarkName(key.span.bytes) ?? ""
        var row = try Row.open(
            value.span.bytes, key: key.span.bytes, as: BookmarkRow.self, sequence: 0, of: "the row of the bookmark \(name)")
        row.name = name
        return row
    }

    public func checkEnds() {}
}

extension InMemoryActionLog {
    public var place: ReplicaPlace? { content.withLock { $0.place } }

    public func become(_ place: ReplicaPlace?, storeID: String, epoch: UInt64) throws(ActionLogError) {
        let isDone = content.withLock { content in
            let isOther = content.head.storeID != storeID || content.head.epoch != epoch
            guard !isOther || content.head.sequence == 0 else { return false }
            (content.head.storeID, content.head.epoch, content.place) = (storeID, epoch, place)
            return true
        }
        if !isDone { throw .contradiction(what: "the log is not empty, and differs from the shared log") }
    }
}
