/// The last 32 bytes of a record: the lengths and checksums of its parts.
package struct RecordTrailer {
    static let byteCount = 32
    static let format: UInt8 = 1
    static let redactedFormat: UInt8 = 2
    static let payloadBytesMax = Int(UInt32.max)
    static let headerBytesMax = 1 << 24 - 1

    var payloadLength: Int
    var format: UInt8
    var headerLength: Int
    var previous: UInt64
    var payloadChecksum: UInt64
    var checksum: UInt64

    /// Payload length, format and header length in 32, 8 and 24 bits, the lowest first.
    static func lengths(payload: Int, header: Int, format: UInt8 = Self.format) -> UInt64 {
        precondition(payload <= payloadBytesMax && header <= headerBytesMax, "a record's parts have a maximum")
        return UInt64(payload) | UInt64(format) << 32 | UInt64(header) << 40
    }

    init?(_ value: RawSpan) {
        let start = value.byteCount - Self.byteCount
        guard start >= 0 else { return nil }
        let lengths = value.littleEndian(at: start)
        payloadLength = Int(lengths & 0xFFFF_FFFF)
        format = UInt8(truncatingIfNeeded: lengths >> 32)
        headerLength = Int(lengths >> 40)
        previous = value.littleEndian(at: start + 8)
        payloadChecksum = value.littleEndian(at: start + 16)
        checksum = value.littleEndian(at: start + 24)
    }
}
