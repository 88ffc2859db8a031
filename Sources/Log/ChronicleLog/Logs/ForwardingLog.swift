/// A log that wraps another and forwards what it does not implement.
///
/// Writes have no default, because only the wrapper knows what else they affect.
public protocol ForwardingLog: ActionLog {
    var wrapped: any ActionLog { get }
}

extension ForwardingLog {
    public var head: Head { wrapped.head }
    public var redactions: Redactions { wrapped.redactions }
    public var base: Base? { wrapped.base }

    public func read(
        from first: UInt64, through last: UInt64, recordsMax: Int, bytesMax: Int, _ body: (RecordHeader, RawSpan) -> Bool
    ) throws(ActionLogError) -> UInt64 {
        try wrapped.read(from: first, through: last, recordsMax: recordsMax, bytesMax: bytesMax, body)
    }

    public func fold(
        from first: UInt64, through last: UInt64, _ body: (HeaderFields, RawSpan) -> Bool
    ) throws(ActionLogError) -> UInt64 { try wrapped.fold(from: first, through: last, body) }

    public func sealed(
        from first: UInt64, through last: UInt64, recordsMax: Int, bytesMax: Int, _ body: (SealedRecord) -> Bool
    ) throws(ActionLogError) -> UInt64 {
        try wrapped.sealed(from: first, through: last, recordsMax: recordsMax, bytesMax: bytesMax, body)
    }

    public func sequence(atOrBefore time: Int64, in range: ClosedRange<UInt64>) throws(ActionLogError) -> UInt64 {
        try wrapped.sequence(atOrBefore: time, in: range)
    }

    public func checksum(of sequence: UInt64) throws(ActionLogError) -> UInt64? { try wrapped.checksum(of: sequence) }

    public func key(_ key: String, of uid: UInt32) throws(ActionLogError) -> KeyRow? { try wrapped.key(key, of: uid) }

    public func openCommands() throws(ActionLogError) -> (rows: [OutboxRow], last: UInt64) { try wrapped.openCommands() }

    public func keys(
        after place: KeyPlace?, rowsMax: Int, _ body: (KeyPlace, KeyRow) -> Void
    ) throws(ActionLogError) -> KeyPlace? { try wrapped.keys(after: place, rowsMax: rowsMax, body) }

    public func bookmark(_ name: String) throws(ActionLogError) -> BookmarkRow? { try wrapped.bookmark(name) }

    public func bookmarks() throws(ActionLogError) -> [BookmarkRow] { try wrapped.bookmarks() }

    public func checkEnds() throws(ActionLogError) { try wrapped.checkEnds() }

    public func storage() throws(ActionLogError) -> StorageUse { try wrapped.storage() }

    public func headroom() -> FreeSpace { wrapped.headroom() }

    public func baseRow() throws(ActionLogError) -> BaseRow? { try wrapped.baseRow() }

    public func anchor() throws(ActionLogError) { try wrapped.anchor() }
}
