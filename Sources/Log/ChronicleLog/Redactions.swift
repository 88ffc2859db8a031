public import ChronicleValues

/// The redacted records, in the order of the redactions.
///
/// A redacted record keeps its checksum, so only this list shows whether a state folded earlier is still valid.
public struct Redactions: Sendable, Equatable {
    /// The records, with one entry per redaction.
    public private(set) var sequences: [UInt64] = []

    public init() {}

    public var count: UInt64 { UInt64(sequences.count) }

    /// Whether no redaction after the first `count` ones affects a state up to a record.
    public func leave(_ sequence: UInt64, foldedAfter count: UInt64) -> Bool {
        guard count < sequences.count else { return count == sequences.count }
        return !sequences[Int(count)...].contains { $0 <= sequence }
    }

    package mutating func append(_ sequence: UInt64) { sequences.append(sequence) }
}

extension Redactions: CanonicalCodable {
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
