public import ChronicleValues

public struct EpochChange: Sendable, Equatable {
    public var epoch: UInt64
    public var previous: UInt64
    /// Commands of records up to here are held.
    public var heldThrough: UInt64

    public init(epoch: UInt64, previous: UInt64, heldThrough: UInt64) {
        self.epoch = epoch
        self.previous = previous
        self.heldThrough = heldThrough
    }
}

extension EpochChange: CanonicalCodable {
    public func encode(into writer: inout CanonicalWriter) {
        writer.field(1, epoch)
        writer.field(2, previous)
        writer.field(3, heldThrough)
    }

    public init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        self.init(epoch: 0, previous: 0, heldThrough: 0)
        while let number = try cursor.nextField(in: bytes) {
            switch number {
            case 1: epoch = try cursor.uint(bytes)
            case 2: previous = try cursor.uint(bytes)
            case 3: heldThrough = try cursor.uint(bytes)
            default: throw cursor.unknown()
            }
        }
    }
}
