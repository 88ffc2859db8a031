public import ChronicleValues

/// The header of a partial result of a command; the actions that follow it have the same command as their cause.
public struct ResultPiece: Sendable, Equatable {
    /// The part's index, from 0; each part is logged once, even if the command is retried.
    public var index: UInt32
    /// Amount done, in units of the target.
    public var done: UInt64
    /// Total amount; 0 if unknown.
    public var total: UInt64

    public init(index: UInt32, done: UInt64 = 0, total: UInt64 = 0) {
        self.index = index
        self.done = done
        self.total = total
    }
}

extension ResultPiece: CanonicalCodable {
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
