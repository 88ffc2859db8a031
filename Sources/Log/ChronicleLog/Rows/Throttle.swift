public import ChronicleValues

/// Until when no other command of a name is to start.
public struct Throttle: Sendable, Equatable {
    /// The checksum of the name.
    public var name: UInt64
    /// The first time at which another may start, in microseconds since 1970.
    public var until: Int64

    public init(name: String, until: Int64) {
        self.name = Self.checksum(of: name)
        self.until = until
    }

    public static func checksum(of name: String) -> UInt64 { Checksum.of(Array(name.utf8).span.bytes) }

    /// When a command is due that is asked for at a time, in microseconds since 1970; 0: at once.
    ///
    /// It never waits longer than the interval, in microseconds, also when the clock was set back meanwhile.
    public static func due(asked: Int64, interval: Int64, until: Int64?) -> Int64 {
        guard let until, until > asked else { return 0 }
        return min(until, asked.adding(clamping: interval))
    }
}

extension Throttle: CanonicalCodable {
    /// Fields: 1 name, 2 until.
    public func encode(into writer: inout CanonicalWriter) {
        writer.field(1, name)
        writer.field(2, until)
    }

    public init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        (name, until) = (0, 0)
        while let number = try cursor.nextField(in: bytes) {
            switch number {
            case 1: name = try cursor.uint(bytes)
            case 2: until = try cursor.int(bytes)
            default: throw cursor.unknown()
            }
        }
    }
}
