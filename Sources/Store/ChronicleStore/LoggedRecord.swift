public import Chronicle
public import ChronicleLog

/// A decoded record: its header and its content.
public struct LoggedRecord<App: Feature>: Sendable {
    /// Everything except the payload.
    public var header: RecordHeader
    /// The action, if the record holds one.
    public var action: App.Action?
    /// The bookmark, if the record sets one.
    public var bookmark: Bookmark?
    /// The lock, if the record sets one.
    public var lock: Lock?
    /// The edit of a command's arguments, if the record holds one.
    public var edit: CommandEdit?
    /// The index and progress of a command's partial result, if the record holds one.
    public var piece: ResultPiece?
    /// The invariant, if the record sets or removes one.
    public var invariant: Invariant?
    /// The epoch, if the record begins one.
    public var epoch: EpochChange?

    /// Whether the record belongs to a scope; records without an action belong to no scope.
    public func belongs(to scope: Int?) -> Bool {
        guard let scope else { return true }
        guard let action else { return false }
        return App.scopes(of: action).contains(ScopeSet(index: scope))
    }
}

extension LoggedRecord where App.Action: CanonicalCodable {
    /// Decodes a payload; throws if this version can't read it.
    public init(_ header: RecordHeader, _ payload: RawSpan) throws(CanonicalError) {
        self.header = header
        switch header.kind {
        case .action, .end:
            if header.kind.holdsAction(payloadBytes: payload.byteCount) { action = try App.Action(canonical: payload) }
        case .bookmark: bookmark = try Bookmark(canonical: payload)
        case .epoch: epoch = try EpochChange(canonical: payload)
        case .edit: edit = try CommandEdit(canonical: payload)
        case .piece: piece = try ResultPiece(canonical: payload)
        case .invariant: invariant = try Invariant(canonical: payload)
        case .lock: lock = try Lock(canonical: payload)
        case .hold, .release, .unlock: break
        }
    }

    /// Decodes a stored record; throws if this version can't read it.
    public init(_ record: SealedRecord) throws(CanonicalError) {
        try self.init(record.header, record.bytes.span.bytes.extracting(record.payload))
    }
}
