public import Reducing

/// A command that was asked for and has not ended.
public struct OpenCommandMessage: Message {
    /// Its name for ever.
    public var id: CommandID
    /// What is to be done: `todos.load`.
    public var name: String
    /// The version of its arguments.
    public var version: UInt32
    /// Its arguments; none if this daemon can't read them.
    public var arguments: Value?
    /// `waiting`, `started` or `parked`; may grow.
    public var stage: String
    /// How many attempts were begun.
    public var attempts: UInt32
    /// When the next attempt is due, in microseconds since 1970; none: as soon as it can be.
    public var due: Int64?
    /// Why the last attempt failed, or why it is parked.
    public var reason: String?
    /// Whether it is held.
    public var held: Bool
    /// How many ends of commands lie between it and what a person dispatched.
    public var depth: UInt32
    /// The step of the record that asked for it.
    public var step: UInt64
    /// The uid for whom it is done.
    public var origin: UInt32

    /// Makes one.
    public init(
        id: CommandID, name: String, version: UInt32 = 1, arguments: Value? = nil, stage: String, attempts: UInt32 = 0,
        due: Int64? = nil, reason: String? = nil, held: Bool = false, depth: UInt32 = 0, step: UInt64, origin: UInt32
    ) {
        self.id = id
        self.name = name
        self.version = version
        self.arguments = arguments
        self.stage = stage
        self.attempts = attempts
        self.due = due
        self.reason = reason
        self.held = held
        self.depth = depth
        self.step = step
        self.origin = origin
    }

    /// The fields in order.
    public static let fieldNames = [
        "id", "name", "version", "arguments", "stage", "attempts", "due", "reason", "held", "depth", "step", "origin",
    ]

    /// Reads the fields.
    public init(_ fields: FieldReader) throws(APIError) {
        id = try fields.message("id")
        name = try fields.text("name")
        version = try fields.integer("version")
        arguments = try fields.optionalRecord("arguments")
        stage = try fields.text("stage")
        attempts = try fields.integer("attempts")
        due = try fields.optionalInteger("due")
        reason = try fields.optionalText("reason")
        held = try fields.flag("held")
        depth = try fields.integer("depth")
        step = try fields.integer("step")
        origin = try fields.integer("origin")
    }

    /// Writes the fields.
    public func write(fields writer: inout ObjectWriter) {
        writer.field("id", id)
        writer.field("name", name)
        writer.field("version", version)
        writer.field("arguments", arguments)
        writer.field("stage", stage)
        writer.field("attempts", attempts)
        writer.field("due", due)
        writer.field("reason", reason)
        writer.field("held", held)
        writer.field("depth", depth)
        writer.field("step", step)
        writer.field("origin", origin)
    }
}
