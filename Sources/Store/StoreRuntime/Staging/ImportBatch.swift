public import Records

/// A piece of another log's history that is to continue this one: the same records, byte for byte.
///
/// The history keeps its sequences, times and origins. None of its commands starts before somebody releases it.
public struct ImportBatch: Sendable {
    /// What was done under a key, beside the record that it ended with.
    public struct Key: Sendable {
        /// Whose key it is.
        public var place: KeyPlace
        public var row: KeyRow

        public init(place: KeyPlace, row: KeyRow) {
            self.place = place
            self.row = row
        }
    }

    /// With what an empty log begins, where the history was compacted.
    public var base: BaseRow?
    /// The records, in sequence; no more than `Limits.flushRecordsMax`.
    public var records: [SealedRecord]
    /// All keys of the records that the base stands for.
    public var baseKeys: PackedKeys
    /// The keys whose last record is among the records.
    public var keys: [Key]
    /// How the commands stood that are open after the last record; those that are not named wait.
    public var outbox: [OutboxRow]
    /// What is to be done in line once the log has begun with the base, before anybody sees it.
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
