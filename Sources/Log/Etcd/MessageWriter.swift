/// Writes the binary form of protobuf, in which members take calls.
struct MessageWriter {
    private(set) var bytes: [UInt8] = []

    /// A number, also if it is 0.
    mutating func number(_ field: UInt64, _ value: Int64) {
        varint(field << 3)
        varint(UInt64(bitPattern: value))
    }

    mutating func bytes(_ field: UInt64, _ value: [UInt8]) {
        varint(field << 3 | 2)
        varint(UInt64(value.count))
        bytes += value
    }

    mutating func message(_ field: UInt64, _ body: (inout MessageWriter) -> Void) {
        var inner = MessageWriter()
        body(&inner)
        bytes(field, inner.bytes)
    }

    private mutating func varint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }
}
