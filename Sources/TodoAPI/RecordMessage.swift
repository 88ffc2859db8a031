public import Reducing

/// One record of the log.
public struct RecordMessage: Message {
    /// Its position.
    public var sequence: UInt64
    /// Microseconds since 1970, strictly increasing.
    public var time: Int64
    /// What the clock said, where that was something else.
    public var rawTime: Int64?
    /// `action`, `end`, `bookmark`, `epoch`, `hold` or `release`; may grow.
    public var kind: String
    /// The uid of the peer.
    public var origin: UInt32
    /// The first sequence of what one person did.
    public var step: UInt64
    /// The command that it answers.
    public var cause: CommandID?
    /// How that command came to its end: `result`, `failed`, `skipped`, `cancelled` or `superseded`; of an `end` alone.
    public var outcome: String?
    /// Why it ended so, as a sentence.
    public var reason: String?
    /// When it was due, in microseconds since 1970; `nil`: at once.
    public var due: Int64?
    /// The step that it takes back.
    public var undoes: UInt64?
    /// The key that it was dispatched with.
    public var key: String?
    /// The build of the daemon that wrote it.
    public var build: UInt32
    /// What was logged, a record with one field per level.
    public var action: Value?
    /// The name that it gave to a moment.
    public var bookmark: String?
    /// That moment, the sequence of a record; 0 is before everything.
    public var at: UInt64?
    /// What it asked for.
    public var commands: [CommandMessage]

    /// Makes one.
    public init(
        sequence: UInt64, time: Int64, rawTime: Int64? = nil, kind: String = "action", origin: UInt32, step: UInt64,
        cause: CommandID? = nil, outcome: String? = nil, reason: String? = nil, due: Int64? = nil, undoes: UInt64? = nil,
        key: String? = nil, build: UInt32 = 0, action: Value? = nil,
        bookmark: String? = nil, at: UInt64? = nil, commands: [CommandMessage] = []
    ) {
        self.sequence = sequence
        self.time = time
        self.rawTime = rawTime
        self.kind = kind
        self.origin = origin
        self.step = step
        self.cause = cause
        self.outcome = outcome
        self.reason = reason
        self.due = due
        self.undoes = undoes
        self.key = key
        self.build = build
        self.action = action
        self.bookmark = bookmark
        self.at = at
        self.commands = commands
    }

    /// The fields in order.
    public static let fieldNames = [
        "sequence", "time", "rawTime", "kind", "origin", "step", "cause", "outcome", "reason", "due", "undoes", "key", "build",
        "action", "bookmark", "at", "commands",
    ]

    /// Reads the fields.
    public init(_ fields: FieldReader) throws(APIError) {
        sequence = try fields.integer("sequence")
        time = try fields.integer("time")
        rawTime = try fields.optionalInteger("rawTime")
        kind = try fields.text("kind")
        origin = try fields.integer("origin")
        step = try fields.integer("step")
        cause = try fields.optionalMessage("cause")
        outcome = try fields.optionalText("outcome")
        reason = try fields.optionalText("reason")
        due = try fields.optionalInteger("due")
        undoes = try fields.optionalInteger("undoes")
        key = try fields.optionalText("key")
        build = try fields.integer("build")
        action = try fields.optionalRecord("action")
        bookmark = try fields.optionalText("bookmark")
        at = try fields.optionalInteger("at")
        commands = try fields.messages("commands")
    }

    /// Writes the fields.
    public func write(fields writer: inout ObjectWriter) {
        writer.field("sequence", sequence)
        writer.field("time", time)
        writer.field("rawTime", rawTime)
        writer.field("kind", kind)
        writer.field("origin", origin)
        writer.field("step", step)
        writer.field("cause", cause)
        writer.field("outcome", outcome)
        writer.field("reason", reason)
        writer.field("due", due)
        writer.field("undoes", undoes)
        writer.field("key", key)
        writer.field("build", build)
        writer.field("action", action)
        writer.field("bookmark", bookmark)
        writer.field("at", at)
        writer.field("commands", commands)
    }
}
