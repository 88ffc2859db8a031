public import ChronicleValues

/// The records that another payload was put into, in the order in which that was done.
///
/// A redacted record keeps its checksum, so this alone tells whether a state that was folded earlier is still what the log comes to.
public struct Redactions: Sendable, Equatable {
    /// The records, one entry for each time.
    public private(set) var sequences: [UInt64] = []

    public init() {}

    /// How often it was done.
    public var count: UInt64 { UInt64(sequences.count) }

    /// Whether a state up to a record, whose fold began after the first `count` of them, has nothing of what was taken out.
    public func leave(_ sequence: UInt64, foldedAfter count: UInt64) -> Bool {
        guard count < sequences.count else { return count == sequences.count }
        return !sequences[Int(count)...].contains { $0 <= sequence }
    }

    /// Notes one more.
    package mutating func append(_ sequence: UInt64) { sequences.append(sequence) }
}

extension Redactions: CanonicalCodable {
    /// Fields: 1 each of them, in order: 1 the record.
    public func encode(into writer: inout CanonicalWriter) {
        for sequence in sequences { writer.message(1) { $0.field(1, sequence) } }
    }

    public init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        self.init()
        while let number = try cursor.nextField(in: bytes) {
            guard number == 1 else { throw cursor.unknown() }
            var inner = try cursor.enter(bytes)
            var sequence: UInt64 = 0
            while let number = try inner.nextField(in: bytes) {
                guard number == 1 else { throw inner.unknown() }
                sequence = try inner.uint(bytes)
            }
            append(sequence)
        }
    }
}
