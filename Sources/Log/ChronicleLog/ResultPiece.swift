public import ChronicleValues

/// A part of what a command brings, before its end: what its record says beside the facts that follow it, whose cause is the same command.
public struct ResultPiece: Sendable, Equatable {
    /// Which part, from 0; each is logged once, whatever is attempted again.
    public var index: UInt32
    /// How much is done, in units of the target.
    public var done: UInt64
    /// How much there is to do; 0: that is not known.
    public var total: UInt64

    public init(index: UInt32, done: UInt64 = 0, total: UInt64 = 0) {
        self.index = index
        self.done = done
        self.total = total
    }
}

extension ResultPiece: CanonicalCodable {
    /// Fields: 1 index, 2 done, 3 total.
    public func encode(into writer: inout CanonicalWriter) {
        writer.field(1, UInt64(index))
        writer.field(2, done)
        writer.field(3, total)
    }

    public init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        self.init(index: 0)
        while let number = try cursor.nextField(in: bytes) {
            switch number {
            case 1: index = try cursor.uint32(bytes)
            case 2: done = try cursor.uint(bytes)
            case 3: total = try cursor.uint(bytes)
            default: throw cursor.unknown()
            }
        }
    }
}
