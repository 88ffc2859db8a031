/// That bytes are no message of protobuf.
struct MalformedMessage: Error {}

/// Reads the binary form of protobuf, in which members answer calls.
struct MessageReader {
    /// What a field has.
    enum Content {
        case number(UInt64)
        case bytes(ArraySlice<UInt8>)
    }

    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    /// The next field; `nil`: there is no other.
    ///
    /// Numbers of a fixed width are passed over: members have none in what is read here.
    mutating func next() throws(MalformedMessage) -> (field: UInt64, content: Content)? {
        while !rest.isEmpty {
            let tag = try varint()
            switch tag & 7 {
            case 0: return (tag >> 3, .number(try varint()))
            case 1: _ = try take(8)
            case 2: return (tag >> 3, .bytes(try take(try varint())))
            case 5: _ = try take(4)
            default: throw MalformedMessage()
            }
        }
        return nil
    }

    private mutating func varint() throws(MalformedMessage) -> UInt64 {
        var (value, shift) = (UInt64(0), UInt64(0))
        while let byte = rest.popFirst() {
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
            shift += 7
            // Ten bytes are 64 bits.
            guard shift < 64 else { break }
        }
        throw MalformedMessage()
    }

    private mutating func take(_ count: UInt64) throws(MalformedMessage) -> ArraySlice<UInt8> {
        guard count <= UInt64(rest.count) else { throw MalformedMessage() }
        defer { rest = rest.dropFirst(Int(count)) }
        return rest.prefix(Int(count))
    }
}
