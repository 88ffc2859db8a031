import ChronicleValues

/// A state of arbitrary bytes.
struct RawState: CanonicalCodable {
    var bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        throw cursor.unknown()
    }

    func encode(into writer: inout CanonicalWriter) { writer.bytes += bytes }
}
