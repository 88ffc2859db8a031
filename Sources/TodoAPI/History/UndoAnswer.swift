public import Reducing

/// What came of taking steps back.
public struct UndoAnswer: Message {
    /// The epoch of the sequences.
    public var epoch: UInt64
    /// The step that this is; `nil` if there was nothing to log.
    public var step: UInt64?
    /// Its first record.
    public var first: UInt64?
    /// Its last record.
    public var last: UInt64?
    /// The steps that were taken back, the newest first.
    public var steps: [UInt64]
    /// Whether the key was known and this is the first answer again.
    public var duplicate: Bool
    /// What changed; `nil` if that is too much, or not known any more.
    public var changes: [Change]?
    /// What is asked for now.
    public var commands: [CommandMessage]
    /// What had happened out there already.
    public var effects: [EffectMessage]
    /// How many further commands one answer has no room for; `nil` for none.
    public var commandsLeftOut: UInt64?
    /// How many further effects; `nil` for none.
    public var effectsLeftOut: UInt64?

    /// Makes one.
    public init(
        epoch: UInt64, step: UInt64? = nil, first: UInt64? = nil, last: UInt64? = nil, steps: [UInt64] = [],
        duplicate: Bool = false, changes: [Change]? = nil, commands: [CommandMessage] = [], effects: [EffectMessage] = [],
        commandsLeftOut: UInt64? = nil, effectsLeftOut: UInt64? = nil
    ) {
        self.epoch = epoch
        self.step = step
        self.first = first
        self.last = last
        self.steps = steps
        self.duplicate = duplicate
        self.changes = changes
        self.commands = commands
        self.effects = effects
        self.commandsLeftOut = commandsLeftOut
        self.effectsLeftOut = effectsLeftOut
    }

    /// The fields in order.
    public static let fieldNames = [
        "epoch", "step", "first", "last", "steps", "duplicate", "changes", "commands", "effects", "commandsLeftOut",
        "effectsLeftOut",
    ]

    /// Reads the fields.
    public init(_ fields: FieldReader) throws(APIError) {
        epoch = try fields.integer("epoch")
        step = try fields.optionalInteger("step")
        first = try fields.optionalInteger("first")
        last = try fields.optionalInteger("last")
        steps = try fields.integers("steps")
        duplicate = try fields.flag("duplicate")
        changes = try fields.optionalMessages("changes")
        commands = try fields.messages("commands")
        effects = try fields.messages("effects")
        commandsLeftOut = try fields.optionalInteger("commandsLeftOut")
        effectsLeftOut = try fields.optionalInteger("effectsLeftOut")
    }

    /// Writes the fields.
    public func write(fields writer: inout ObjectWriter) {
        writer.field("epoch", epoch)
        writer.field("step", step)
        writer.field("first", first)
        writer.field("last", last)
        writer.field("steps", steps)
        writer.field("duplicate", duplicate)
        writer.field("changes", changes)
        writer.field("commands", commands)
        writer.field("effects", effects)
        writer.field("commandsLeftOut", commandsLeftOut)
        writer.field("effectsLeftOut", effectsLeftOut)
    }
}
