/// The part of the map that a scan has read, as addresses.
public struct TouchedPages: Sendable, Equatable {
    var lower = UInt.max
    var upper: UInt = 0

    public init() {}

    /// How far apart the first and the last of them are, in bytes.
    public var byteCount: Int { upper > lower ? Int(upper - lower) : 0 }

    /// Adds what another scan has read.
    public mutating func formUnion(_ other: TouchedPages) {
        lower = min(lower, other.lower)
        upper = max(upper, other.upper)
    }

    mutating func insert(_ buffer: UnsafeRawBufferPointer) {
        let start = UInt(bitPattern: buffer.baseAddress)
        lower = min(lower, start)
        upper = max(upper, start + UInt(buffer.count))
    }
}
