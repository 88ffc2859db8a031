/// A command that the log did not run and an altered history would have.
public struct AskedCommandMessage: Message {
    /// The record that asks for it, or the one behind which that is put in.
    public var sequence: UInt64
    /// 0 for the record itself, else which one of those behind it, from 1.
    public var insertion: Int
    /// Which of the commands there it is, from 0.
    public var index: Int
    /// What is asked for.
    public var command: CommandMessage
    /// `asked` or `notDisplaced`; may grow.
    public var reason: String

    /// Makes one.
    public init(sequence: UInt64, insertion: Int, index: Int, command: CommandMessage, reason: String) {
        self.sequence = sequence
        self.insertion = insertion
        self.index = index
        self.command = command
        self.reason = reason
    }

    /// The fields in order.
    public static let fieldNames = ["sequence", "insertion", "index", "command", "reason"]

    /// Reads the fields.
    public init(_ fields: FieldReader) throws(APIError) {
        sequence = try fields.integer("sequence")
        insertion = try fields.integer("insertion")
        index = try fields.integer("index")
        command = try fields.message("command")
        reason = try fields.text("reason")
    }

    /// Writes the fields.
    public func write(fields writer: inout ObjectWriter) {
        writer.field("sequence", sequence)
        writer.field("insertion", insertion)
        writer.field("index", index)
        writer.field("command", command)
        writer.field("reason", reason)
    }
}
