internal import ChronicleValues

/// The part of a record's header that a fold needs: numbers alone, so that reading it allocates nothing.
public struct HeaderFields: Sendable, Equatable {
    public var kind: RecordKind = .action
    /// Its position in the log.
    public var sequence: UInt64 = 0
    /// When it was accepted, in microseconds since 1970.
    public var time: Int64 = 0
    /// The uid of the peer that asked for it.
    public var origin: UInt32 = 0
    /// The step it belongs to.
    public var step: UInt64 = 0
    /// The command that it ends, or that brought it about.
    public var cause: CommandID?
    /// The step whose effects it takes back.
    public var undoes: UInt64?
    /// The moment as at which it puts something back.
    public var restores: UInt64?
    /// Whether it brings records of a fork.
    public var isMerge = false
    /// The build that wrote it.
    public var build: UInt32 = 0
    /// Whether it came with a key.
    public var hasKey = false
    /// How many commands it asked for.
    public var commandCount = 0
    /// Which way the command in `cause` ended.
    public var outcome: CommandOutcome?

    init() {}

    init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        while let number = try cursor.nextField(in: bytes) {
            switch number {
            case RecordHeader.Field.kind: kind = try RecordHeader.kind(bytes, &cursor)
            case RecordHeader.Field.sequence: sequence = try cursor.uint(bytes)
            case RecordHeader.Field.time: time = try cursor.int(bytes)
            case RecordHeader.Field.rawTime: _ = try cursor.int(bytes)
            case RecordHeader.Field.origin: origin = try cursor.uint32(bytes)
            case RecordHeader.Field.step: step = try cursor.uint(bytes)
            case RecordHeader.Field.cause: cause = try cursor.message(bytes)
            case RecordHeader.Field.undoes: undoes = try cursor.uint(bytes)
            case RecordHeader.Field.key:
                _ = try cursor.enter(bytes)
                hasKey = true
            case RecordHeader.Field.build: build = try cursor.uint32(bytes)
            case RecordHeader.Field.commands:
                _ = try cursor.enter(bytes)
                commandCount += 1
            case RecordHeader.Field.outcome: outcome = try RecordHeader.outcome(bytes, &cursor)
            case RecordHeader.Field.reason: _ = try cursor.enter(bytes)
            case RecordHeader.Field.due: _ = try cursor.int(bytes)
            case RecordHeader.Field.restores: restores = try RecordHeader.restores(bytes, &cursor)
            case RecordHeader.Field.merges:
                _ = try cursor.enter(bytes)
                isMerge = true
            case RecordHeader.Field.node: _ = try cursor.enter(bytes)
            default: throw cursor.unknown()
            }
        }
    }
}
