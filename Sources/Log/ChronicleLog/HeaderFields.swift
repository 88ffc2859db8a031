internal import ChronicleValues

/// The header fields that a fold needs, as in `RecordHeader`; no texts, so that decoding allocates nothing.
public struct HeaderFields: Sendable, Equatable {
    public var kind: RecordKind = .action
    public var sequence: UInt64 = 0
    public var time: Int64 = 0
    public var origin: UInt32 = 0
    public var step: UInt64 = 0
    public var cause: CommandID?
    public var undoes: UInt64?
    public var restores: UInt64?
    public var isMerge = false
    public var build: UInt32 = 0
    public var hasKey = false
    public var commandCount = 0
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
