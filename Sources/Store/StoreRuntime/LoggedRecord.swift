public import Records
public import Reducing
public import Values

/// A record as a reader sees it: its header, and what it holds.
public struct LoggedRecord<App: Feature>: Sendable {
    /// Everything but the payload.
    public var header: RecordHeader
    /// The action, in records that hold one.
    public var action: App.Action?
    /// The name that it gave to a moment, in records that hold one.
    public var bookmark: Bookmark?
    /// Why nothing is dispatched from then on, in records that say so.
    public var lock: Lock?
    /// What became of the arguments of a command, in records that say so.
    public var edit: CommandEdit?
    /// Which part of what a command brings, and how far it is, in records that say so.
    public var piece: ResultPiece?
    /// Which condition was set or taken away, in records that say so.
    public var invariant: Invariant?

    /// Whether it belongs to a scope; a record without an action belongs to none.
    func belongs(to scope: Int?) -> Bool {
        guard let scope else { return true }
        guard let action else { return false }
        return App.scopes(of: action).contains(ScopeSet(index: scope))
    }
}

extension LoggedRecord where App.Action: CanonicalCodable {
    /// Reads what a payload holds.
    ///
    /// - Throws: what this version can't read in it.
    public init(_ header: RecordHeader, _ payload: RawSpan) throws(CanonicalError) {
        self.header = header
        if header.kind.holdsAction(payloadBytes: payload.byteCount) { action = try App.Action(canonical: payload) }
        if header.kind == .bookmark { bookmark = try Bookmark(canonical: payload) }
        if header.kind == .edit { edit = try CommandEdit(canonical: payload) }
        if header.kind == .piece { piece = try ResultPiece(canonical: payload) }
        if header.kind == .invariant { invariant = try Invariant(canonical: payload) }
        if header.kind == .lock { lock = try Lock(canonical: payload) }
    }

    /// Reads a record as it is stored.
    ///
    /// - Throws: what this version can't read in it.
    public init(_ record: SealedRecord) throws(CanonicalError) {
        try self.init(record.header, record.bytes.span.bytes.extracting(record.payload))
    }
}
