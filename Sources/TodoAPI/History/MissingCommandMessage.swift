/// A command of the log that an altered history would not have run.
public struct MissingCommandMessage: Message {
    /// What the log asked for.
    public var command: CommandMessage
    /// `notAsked` or `displaced`; may grow.
    public var reason: String
    /// How it ended in the log: `result`, `failed`, `skipped`, `cancelled` or `superseded`; may grow.
    public var outcome: String?

    /// Makes one.
    public init(command: CommandMessage, reason: String, outcome: String? = nil) {
        self.command = command
        self.reason = reason
        self.outcome = outcome
    }

    /// The fields in order.
    public static let fieldNames = ["command", "reason", "outcome"]

    /// Reads the fields.
    public init(_ fields: FieldReader) throws(APIError) {
        command = try fields.message("command")
        reason = try fields.text("reason")
        outcome = try fields.optionalText("outcome")
    }

    /// Writes the fields.
    public func write(fields writer: inout ObjectWriter) {
        writer.field("command", command)
        writer.field("reason", reason)
        writer.field("outcome", outcome)
    }
}
