internal import ChronicleValues

/// One record byte for byte as it stands in a log, checked by itself; what links it to the others is for whoever has those.
public struct SealedRecord: Sendable {
    /// The bytes, as FORMAT.md describes them.
    public let bytes: [UInt8]
    /// What the record says about its payload.
    public let header: RecordHeader
    /// The part of the header that a fold needs.
    public let fields: HeaderFields
    /// Where in the bytes the payload is.
    public let payload: Range<Int>
    /// The checksum of the record before, 0 for the first.
    public let previous: UInt64
    /// The record's own checksum, which stands for all history up to it.
    public let checksum: UInt64

    /// Whether its payload is another one than the checksum stands for: texts were taken out of it.
    public let isRedacted: Bool

    /// Takes over bytes that are to be the record of a sequence.
    ///
    /// Throws `damaged` or `newerFormat` with that sequence when they are not.
    public init(_ bytes: [UInt8], sequence: UInt64) throws(ActionLogError) {
        let value = bytes.span.bytes
        let check = try RecordCheck(value, sequence: sequence)
        header = try check.fullHeader(value, sequence: sequence)
        fields = try check.fields(value, sequence: sequence)
        payload = check.payload
        previous = check.previous
        checksum = check.checksum
        isRedacted = check.isRedacted
        self.bytes = bytes
    }

    public var payloadBytes: [UInt8] { Array(bytes[payload]) }
}

extension [UInt8] {
    package init(_ span: RawSpan) {
        self = (0..<span.byteCount).map { span.unsafeLoad(fromByteOffset: $0, as: UInt8.self) }
    }
}
