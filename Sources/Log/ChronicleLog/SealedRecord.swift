internal import ChronicleValues

/// One record byte for byte as stored, checked by itself; its links to other records are not checked.
public struct SealedRecord: Sendable {
    /// The bytes, as described in FORMAT.md.
    public let bytes: [UInt8]
    public let header: RecordHeader
    public let fields: HeaderFields
    public let payload: Range<Int>
    /// The checksum of the record before; 0 for the first.
    public let previous: UInt64
    /// The record's checksum, which covers all history up to it.
    public let checksum: UInt64

    /// Whether its payload was replaced, so that it differs from the one in the chain.
    public let isRedacted: Bool

    /// Parses the bytes of a record; throws `damaged` or `newerFormat` with the expected sequence.
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
