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

extension ResultPiece: RowCoding {
    public init() { self.init(index: 0) }

    public mutating func code<Coder: RowCoder>(_ fields: inout Coder) throws(Coder.Failure) {
        try fields.field(1, &index)
        try fields.field(2, &done)
        try fields.field(3, &total)
    }
}
