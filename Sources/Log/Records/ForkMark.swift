public import Values

/// Which records of a fork a record brings, so that none is brought twice.
public struct ForkMark: Sendable, Equatable {
    /// The epoch of the fork, of which there is no other.
    public var epoch: UInt64
    /// What came up to this record of the fork was there already.
    public var from: UInt64
    /// Through this record of the fork it is there now.
    public var through: UInt64

    /// Makes one.
    public init(epoch: UInt64, from: UInt64, through: UInt64) {
        self.epoch = epoch
        self.from = from
        self.through = through
    }
}

extension ForkMark: CanonicalCodable {
    /// Fields: 1 epoch, 2 from, 3 through.
    public func encode(into writer: inout CanonicalWriter) {
        writer.field(1, epoch)
        writer.field(2, from)
        writer.field(3, through)
    }

    /// Reads a mark.
    public init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        self.init(epoch: 0, from: 0, through: 0)
        while let number = try cursor.nextField(in: bytes) {
            switch number {
            case 1: epoch = try cursor.uint(bytes)
            case 2: from = try cursor.uint(bytes)
            case 3: through = try cursor.uint(bytes)
            default: throw cursor.unknown()
            }
        }
    }
}
