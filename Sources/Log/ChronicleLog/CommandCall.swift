public import ChronicleValues

/// A command as requested by a record; it is logged, not recomputed.
public struct CommandCall: Sendable, Equatable {
    public var name: String
    /// Version of the meaning and of the arguments' form.
    public var version: UInt32
    public var arguments: [UInt8]
    /// Whether it is only returned to the dispatcher and never enters the outbox.
    public var presentational: Bool

    public init(name: String, version: UInt32 = 1, arguments: [UInt8] = [], presentational: Bool = false) {
        self.name = name
        self.version = version
        self.arguments = arguments
        self.presentational = presentational
    }
}

extension CommandCall: CanonicalCodable {
    public func encode(into writer: inout CanonicalWriter) {
        writer.field(1, name)
        writer.field(2, UInt64(version))
        writer.field(3, arguments)
        writer.field(4, presentational)
    }

    public init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        self.init(name: "", version: 0)
        while let number = try cursor.nextField(in: bytes) {
            switch number {
            case 1: name = try cursor.text(bytes)
            case 2: version = try cursor.uint32(bytes)
            case 3: arguments = try cursor.bytes(bytes)
            case 4: presentational = try cursor.bool(bytes)
            default: throw cursor.unknown()
            }
        }
    }
}
