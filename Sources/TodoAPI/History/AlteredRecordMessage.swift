public import Reducing

/// A record that an altered history has otherwise than the log.
public struct AlteredRecordMessage: Message {
    /// The record, or the one behind which it is put in.
    public var sequence: UInt64
    /// 0 for the record itself, else which one of those behind it, from 1.
    public var insertion: Int
    /// `skipped`, `vanished`, `edited`, `inserted`, `moved` or `ended`; may grow.
    public var kind: String
    /// What was folded there.
    public var actions: [Value]

    /// Makes one.
    public init(sequence: UInt64, insertion: Int, kind: String, actions: [Value]) {
        self.sequence = sequence
        self.insertion = insertion
        self.kind = kind
        self.actions = actions
    }

    /// The fields in order.
    public static let fieldNames = ["sequence", "insertion", "kind", "actions"]

    /// Reads the fields.
    public init(_ fields: FieldReader) throws(APIError) {
        sequence = try fields.integer("sequence")
        insertion = try fields.integer("insertion")
        kind = try fields.text("kind")
        actions = try fields.records("actions")
    }

    /// Writes the fields.
    public func write(fields writer: inout ObjectWriter) {
        writer.field("sequence", sequence)
        writer.field("insertion", insertion)
        writer.field("kind", kind)
        writer.field("actions", actions)
    }
}
