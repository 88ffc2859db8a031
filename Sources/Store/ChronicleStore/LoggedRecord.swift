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

extension Store {
    /// Reads one page of records, at most `Limits.pageRecordsMax` of them and `Limits.pageBytesMax` bytes.
    /// - Throws: `.damaged` or `.undecodable` if the first record is bad (a later one ends the page), `.pruned` if it was compacted away.
    public nonisolated func records(from first: UInt64, through last: UInt64) async throws(StoreError) -> [LoggedRecord<App>] {
        try await queries.perform { queries throws(StoreError) in
            try await queries.yieldIfNeeded()
            return try LoggedRecord<App>.page(from: first, through: last, in: self.log)
        }
    }

    /// The last record at or before a time in microseconds since 1970; 0: none.
    public nonisolated func sequence(atOrBefore time: Int64) async throws(StoreError) -> UInt64 {
        try await queries.perform { _ throws(StoreError) in
            try StoreError.reading { () throws(ActionLogError) in try self.log.sequence(atOrBefore: time) }
        }
    }
}

extension LoggedRecord where App.Action: CanonicalCodable {
    /// Reads one page of records on the calling thread, like ``Store/records(from:through:)``.
    /// - Throws: the error of the first record; a later one ends the page.
    public static func page(
        from first: UInt64, through last: UInt64, in log: any ActionLog, recordsMax: Int = Limits.pageRecordsMax,
        bytesMax: Int = Limits.pageBytesMax
    ) throws(StoreError) -> [LoggedRecord] {
        var records: [LoggedRecord] = []
        var undecodable: StoreError?
        do throws(ActionLogError) {
            _ = try log.read(from: first, through: last, recordsMax: recordsMax, bytesMax: bytesMax) { header, payload in
                do throws(CanonicalError) {
                    records.append(try LoggedRecord(header, payload))
                    return true
                } catch {
                    undecodable = .undecodable(sequence: header.sequence, what: "its action: \(error.sentence)")
                    return false
                }
            }
        } catch {
            if records.isEmpty { throw StoreError(error) }
        }
        if let undecodable, records.isEmpty { throw undecodable }
        return records
    }
}
