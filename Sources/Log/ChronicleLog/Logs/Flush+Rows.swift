internal import ChronicleValues

extension Flush {
    /// Stages what a dispatch under a key did.
    ///
    /// Throws `keyLength` for a key that is empty or longer than `RowKey.keyBytesMax` bytes; that the key is new is the caller's to know.
    public mutating func stage(_ row: KeyRow, key: String, of uid: UInt32) throws(ActionLogError) {
        let start = rows.bytes.count
        try RowKey.append(key, of: uid, to: &rows.bytes)
        stage(.addKey, row, keyFrom: start)
    }

    /// Stages an open command.
    public mutating func add(_ row: OutboxRow) {
        let start = rows.bytes.count
        RowKey.append(row.id, to: &rows.bytes)
        stage(.addCommand, row, keyFrom: start)
    }

    /// Stages the new form of an open command's row.
    public mutating func change(_ row: OutboxRow) {
        let start = rows.bytes.count
        RowKey.append(row.id, to: &rows.bytes)
        stage(.changeCommand, row, keyFrom: start)
    }

    /// Stages the end of an open command.
    public mutating func close(_ id: CommandID) {
        let start = rows.bytes.count
        RowKey.append(id, to: &rows.bytes)
        let end = rows.bytes.count
        rowChanges.append(RowChange(kind: .closeCommand, key: start..<end, value: end..<end))
    }

    /// Stages where a bookmark stands from now on, beside the record that says so.
    public mutating func set(_ row: BookmarkRow) {
        precondition((1...Bookmark.nameBytesMax).contains(row.name.utf8.count), Self.bookmarkNameRule)
        let start = rows.bytes.count
        RowKey.append(bookmark: row.name, to: &rows.bytes)
        stage(.setBookmark, row, keyFrom: start)
    }

    /// Stages that a bookmark is gone, beside the record that says so.
    public mutating func removeBookmark(_ name: String) {
        precondition((1...Bookmark.nameBytesMax).contains(name.utf8.count), Self.bookmarkNameRule)
        let start = rows.bytes.count
        RowKey.append(bookmark: name, to: &rows.bytes)
        let end = rows.bytes.count
        rowChanges.append(RowChange(kind: .removeBookmark, key: start..<end, value: end..<end))
    }

    /// Stages what a bookmark's record says.
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

    /// The head of the log after this flush.
    package func head(after head: Head) -> Head {
        var next = head
        next.sequence = sequence
        next.checksum = checksum
        next.time = time
        headChange.apply(to: &next)
        return next
    }

    /// Why this flush cannot follow a head; `nil` when it can.
    package func contradiction(to head: Head) -> ActionLogError? {
        let (sequence, checksum) = beginning == nil ? (base, baseChecksum) : (0, 0)
        guard sequence == head.sequence, checksum == head.checksum else {
            return .contradiction(what: "it follows record \(sequence), the log ends at \(head.sequence)")
        }
        return nil
    }

    /// The bytes of a staged record.
    package func recordRange(_ index: Int) -> Range<Int> { (index == 0 ? 0 : recordEnds[index - 1])..<recordEnds[index] }
}
