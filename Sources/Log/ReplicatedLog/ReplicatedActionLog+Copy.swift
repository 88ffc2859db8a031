public import Records

// What is asked of this machine's copy alone.
extension ReplicatedActionLog {
    public var bootID: String { copy.bootID }

    public func read(
        from first: UInt64, through last: UInt64, recordsMax: Int, bytesMax: Int, _ body: (RecordHeader, RawSpan) -> Bool
    ) throws(ActionLogError) -> UInt64 {
        try copy.read(from: first, through: last, recordsMax: recordsMax, bytesMax: bytesMax, body)
    }

    public func fold(
        from first: UInt64, through last: UInt64, _ body: (HeaderFields, RawSpan) -> Bool
    ) throws(ActionLogError) -> UInt64 { try copy.fold(from: first, through: last, body) }

    public func sealed(
        from first: UInt64, through last: UInt64, recordsMax: Int, bytesMax: Int, _ body: (SealedRecord) -> Bool
    ) throws(ActionLogError) -> UInt64 {
        try copy.sealed(from: first, through: last, recordsMax: recordsMax, bytesMax: bytesMax, body)
    }

    public func sequence(atOrAfter time: Int64) throws(ActionLogError) -> UInt64 { try copy.sequence(atOrAfter: time) }

    public func sequence(atOrBefore time: Int64, in range: ClosedRange<UInt64>) throws(ActionLogError) -> UInt64 {
        try copy.sequence(atOrBefore: time, in: range)
    }

    public func checksum(of sequence: UInt64) throws(ActionLogError) -> UInt64? { try copy.checksum(of: sequence) }

    public func key(_ key: String, of uid: UInt32) throws(ActionLogError) -> KeyRow? { try copy.key(key, of: uid) }

    public func openCommands() throws(ActionLogError) -> (rows: [OutboxRow], last: UInt64) { try copy.openCommands() }

    public func keys(
        after place: KeyPlace?, rowsMax: Int, _ body: (KeyPlace, KeyRow) -> Void
    ) throws(ActionLogError) -> KeyPlace? { try copy.keys(after: place, rowsMax: rowsMax, body) }

    public func bookmark(_ name: String) throws(ActionLogError) -> BookmarkRow? { try copy.bookmark(name) }

    public func bookmarks() throws(ActionLogError) -> [BookmarkRow] { try copy.bookmarks() }

    public func subscriptions() throws(ActionLogError) -> StoredSubscriptions { try copy.subscriptions() }

    /// Checks the copy.
    public func checkEnds() throws(ActionLogError) { try copy.checkEnds() }

    /// How large the copy is.
    public func storage() throws(ActionLogError) -> StorageUse { try copy.storage() }

    /// How much the copy can still take.
    public func headroom() -> Headroom { copy.headroom() }

    /// What was put into records of the copy.
    public var redactions: Redactions { copy.redactions }

    /// Where the copy begins.
    public var base: Base? { copy.base }

    /// The base of the copy.
    public func baseRow() throws(ActionLogError) -> BaseRow? { try copy.baseRow() }

    /// Writes down where the copy ends.
    public func anchor() throws(ActionLogError) { try copy.anchor() }
}
