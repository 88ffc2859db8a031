public import ChronicleValues

/// The earliest time at which another command of a name may start.
public struct Throttle: Sendable, Equatable {
    public var name: UInt64
    /// In microseconds since 1970.
    public var until: Int64

    public init(name: String, until: Int64) {
        self.name = Self.checksum(of: name)
        self.until = until
    }

    public static func checksum(of name: String) -> UInt64 { Checksum.of(Array(name.utf8).span.bytes) }

    /// When a command requested at a time is due, in microseconds since 1970; 0: at once.
    ///
    /// Waits at most for the interval in microseconds, even if the clock was set back.
    public static func due(asked: Int64, interval: Int64, until: Int64?) -> Int64 {
        guard let until, until > asked else { return 0 }
        return min(until, asked.adding(clamping: interval))
    }
}

extension Throttle: RowCoding {
    public init() { (name, until) = (0, 0) }

    public mutating func code<Coder: RowCoder>(_ fields: inout Coder) throws(Coder.Failure) {
        try fields.field(1, &name)
        try fields.field(2, &until)
    }
}
