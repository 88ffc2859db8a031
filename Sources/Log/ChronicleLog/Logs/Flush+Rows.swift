internal import ChronicleValues

extension Flush {
    /// Stages the row of a new idempotency key; throws `keyLength` if it is empty or longer than `RowKey.keyBytesMax` bytes.
    public mutating func stage(_ row: KeyRow, key: String, of uid: UInt32) throws(ActionLogError) {
        let start = rows.bytes.count
        try RowKey.append(key, of: uid, to: &rows.bytes)
        stage(.addKey, row, keyFrom: start)
    }

    public mutating func add(_ row: OutboxRow) {
        let start = rows.bytes.count
        RowKey.append(row.id, to: &rows.bytes)
        stage(.addCommand, row, keyFrom: start)
    }

    public mutating func change(_ row: OutboxRow) {
        let start = rows.bytes.count
        RowKey.append(row.id, to: &rows.bytes)
        stage(.changeCommand, row, keyFrom: start)
    }

    public mutating func close(_ id: CommandID) {
        let start = rows.bytes.count
        RowKey.append(id, to: &rows.bytes)
        let end = rows.bytes.count
        rowChanges.append(RowChange(kind: .closeCommand, key: start..<end, value: end..<end))
    }

    /// Stages a bookmark's row; the record is staged separately.
    public mutating func set(_ row: BookmarkRow) {
        precondition((1...Bookmark.nameBytesMax).contains(row.name.utf8.count), Self.bookmarkNameRule)
        let start = rows.bytes.count
        RowKey.append(bookmark: row.name, to: &rows.bytes)
        stage(.setBookmark, row, keyFrom: start)
    }

    public mutating func removeBookmark(_ name: String) {
        precondition((1...Bookmark.nameBytesMax).contains(name.utf8.count), Self.bookmarkNameRule)
        let start = rows.bytes.count
        RowKey.append(bookmark: name, to: &rows.bytes)
        let end = rows.bytes.count
        rowChanges.append(RowChange(kind: .removeBookmark, key: start..<end, value: end..<end))
    }

    /// Stages the change of the row that a bookmark record requires.
    public mutating func apply(_ bookmark: Bookmark, of record: UInt64) {
        if bookmark.isWithdrawn {
            removeBookmark(bookmark.name)
        } else {
            set(BookmarkRow(name: bookmark.name, sequence: bookmark.sequence, record: record))
        }
    }

    private static var bookmarkNameRule: String { "a bookmark's name has 1 to \(Bookmark.nameBytesMax) bytes" }

    private mutating func stage(_ kind: RowChange.Kind, _ row: some CanonicalCodable, keyFrom start: Int) {
        let key = start..<rows.bytes.count
        Row.append(row, key: key, to: &rows)
        rowChanges.append(RowChange(kind: kind, key: key, value: key.upperBound..<rows.bytes.count))
    }

    package func head(after head: Head) -> Head {
        var next = head
        next.sequence = sequence
        next.checksum = checksum
        next.time = time
        headChange.apply(to: &next)
        return next
    }

    /// Why this flush cannot follow a head; `nil` if it can.
    package func contradiction(to head: Head) -> ActionLogError? {
        let (sequence, checksum) = beginning == nil ? (base, baseChecksum) : (0, 0)
        guard sequence == head.sequence, checksum == head.checksum else {
            return .contradiction(what: "it follows record \(sequence), but the log ends at \(head.sequence)")
        }
        return nil
    }

    package func recordRange(_ index: Int) -> Range<Int> { (index == 0 ? 0 : recordEnds[index - 1])..<recordEnds[index] }
}
