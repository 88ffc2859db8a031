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

extension EpochChange: RowCoding {
    public init() { self.init(epoch: 0, previous: 0, heldThrough: 0) }

    public mutating func code<Coder: RowCoder>(_ fields: inout Coder) throws(Coder.Failure) {
        try fields.field(1, &epoch)
        try fields.field(2, &previous)
        try fields.field(3, &heldThrough)
    }
}
