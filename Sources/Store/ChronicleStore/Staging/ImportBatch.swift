public import ChronicleLog

/// A part of another log's history to append, byte for byte; its commands are held until someone releases them.
public struct ImportBatch: Sendable {
    public struct Key: Sendable {
        public var place: KeyPlace
        public var row: KeyRow

        public init(place: KeyPlace, row: KeyRow) {
            self.place = place
            self.row = row
        }
    }

    /// The base with which an empty log begins, if the history was compacted.
    public var base: BaseRow?
    /// The records, by sequence; at most `Limits.flushRecordsMax`.
    public var records: [SealedRecord]
    /// All keys of the records that the base replaces.
    public var baseKeys: PackedKeys
    /// The keys whose last record is among the records.
    public var keys: [Key]
    /// The rows of the commands that are open after the last record; other commands wait.
    public var outbox: [OutboxRow]
    /// Called on the store's thread when the log has begun with the base, before the state is published.
    public var whenBegun: (@Sendable () -> Void)?

    public init(
        base: BaseRow? = nil, baseKeys: PackedKeys = PackedKeys(), records: [SealedRecord] = [], keys: [Key] = [],
        outbox: [OutboxRow] = []
    ) {
        self.base = base
        self.baseKeys = baseKeys
        self.records = records
        self.keys = keys
        self.outbox = outbox
    }
}
