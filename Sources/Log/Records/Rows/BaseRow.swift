public import Values

/// A base with its state, as it stands in the table `meta`.
public struct BaseRow: Sendable, Equatable {
    /// Where the log begins.
    public var base: Base
    /// The canonical bytes of the state after the record of the base.
    public var state: [UInt8]
    /// What was kept of rows beside it.
    public var kept: CompactionSummary

    /// Makes one.
    public init(base: Base, state: [UInt8], kept: CompactionSummary = CompactionSummary()) {
        self.base = base
        self.state = state
        self.kept = kept
    }
}

extension BaseRow: CanonicalCodable {
    /// Writes the members of the base, the state, and what was kept.
    public func encode(into writer: inout CanonicalWriter) {
        writer.field(1, base.sequence)
        writer.field(2, base.checksum)
        writer.field(3, base.time)
        writer.field(4, base.archive)
        writer.field(5, state)
        writer.field(6, kept.keys)
        for row in kept.open { writer.message(7, row) }
        if let standing = kept.standing { writer.message(8, standing) }
    }

    /// Reads what `encode` wrote.
    public init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        self.init(base: Base(sequence: 0, checksum: 0, time: 0, archive: ""), state: [])
        while let number = try cursor.nextField(in: bytes) {
            switch number {
            case 1: base.sequence = try cursor.uint(bytes)
            case 2: base.checksum = try cursor.uint(bytes)
            case 3: base.time = try cursor.int(bytes)
            case 4: base.archive = try cursor.text(bytes)
            case 5: state = try cursor.bytes(bytes)
            case 6: kept.keys = try cursor.singleMessage(bytes)
            case 7: kept.open.append(try cursor.message(bytes))
            case 8: kept.standing = try cursor.singleMessage(bytes)
            default: throw cursor.unknown()
            }
        }
    }
}
