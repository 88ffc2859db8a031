/// What an order about commands or bookmarks is answered with, once it is on disk.
public struct OrderAnswer: Message {
    /// The epoch of the sequences.
    public var epoch: UInt64
    /// The records that it brought about; none where nothing was to be told.
    public var sequences: [UInt64]

    /// Makes one.
    public init(epoch: UInt64, sequences: [UInt64]) {
        self.epoch = epoch
        self.sequences = sequences
    }

    /// The fields in order.
    public static let fieldNames = ["epoch", "sequences"]

    /// Reads the fields.
    public init(_ fields: FieldReader) throws(APIError) {
        epoch = try fields.integer("epoch")
        sequences = try fields.integers("sequences")
    }

    /// Writes the fields.
    public func write(fields writer: inout ObjectWriter) {
        writer.field("epoch", epoch)
        writer.field("sequences", sequences)
    }
}
