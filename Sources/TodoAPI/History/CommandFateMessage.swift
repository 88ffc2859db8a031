/// How a command of a record stands.
public struct CommandFateMessage: Message {
    /// Which command.
    public var id: CommandID
    /// `shown`, `open`, `ended` or `none`; may grow.
    public var fate: String
    /// `waiting`, `started` or `parked`, of an open one.
    public var stage: String?
    /// How often an open one was begun.
    public var attempts: UInt64?
    /// Why the last attempt failed, or why it is parked.
    public var reason: String?
    /// Whether an open one starts only when somebody releases it.
    public var held: Bool?

    /// Makes one.
    public init(
        id: CommandID, fate: String, stage: String? = nil, attempts: UInt64? = nil, reason: String? = nil, held: Bool? = nil
    ) {
        self.id = id
        self.fate = fate
        self.stage = stage
        self.attempts = attempts
        self.reason = reason
        self.held = held
    }

    /// The fields in order.
    public static let fieldNames = ["id", "fate", "stage", "attempts", "reason", "held"]

    /// Reads the fields.
    public init(_ fields: FieldReader) throws(APIError) {
        id = try fields.message("id")
        fate = try fields.text("fate")
        stage = try fields.optionalText("stage")
        attempts = try fields.optionalInteger("attempts")
        reason = try fields.optionalText("reason")
        held = try fields.optionalFlag("held")
    }

    /// Writes the fields.
    public func write(fields writer: inout ObjectWriter) {
        writer.field("id", id)
        writer.field("fate", fate)
        writer.field("stage", stage)
        writer.field("attempts", attempts)
        writer.field("reason", reason)
        writer.field("held", held)
    }
}
