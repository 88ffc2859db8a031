public import Reducing

/// Goes back to how everything was at a point.
public enum RevertMethod: Method {
    /// Its full name.
    public static let name = "org.todod.History.Revert"

    /// What is asked.
    public struct Input: Message {
        /// The moment.
        public var to: Point
        /// Only say what would change.
        public var dryRun: Bool?
        /// Makes a repetition harmless; at most 64 bytes.
        public var key: String?

        /// Makes an input.
        public init(to: Point, dryRun: Bool? = nil, key: String? = nil) {
            self.to = to
            self.dryRun = dryRun
            self.key = key
        }

        /// The fields in order.
        public static let fieldNames = ["to", "dryRun", "key"]

        /// Reads the fields.
        public init(_ fields: FieldReader) throws(APIError) {
            to = try fields.message("to")
            dryRun = try fields.optionalFlag("dryRun")
            key = try fields.optionalText("key")
        }

        /// Writes the fields.
        public func write(fields writer: inout ObjectWriter) {
            writer.field("to", to)
            writer.field("dryRun", dryRun)
            writer.field("key", key)
        }
    }

    /// What came of it.
    public struct Output: Message {
        /// The epoch of the sequences.
        public var epoch: UInt64
        /// The step that this is; `nil` if there was nothing to log.
        public var step: UInt64?
        /// Its first record.
        public var first: UInt64?
        /// Its last record.
        public var last: UInt64?
        /// The sequence that the point means.
        public var target: UInt64
        /// Whether the key was known and this is the first answer again.
        public var duplicate: Bool
        /// What changed; `nil` if that is too much, or not known any more.
        public var changes: [Change]?
        /// What is asked for now.
        public var commands: [CommandMessage]
        /// How many further commands one answer has no room for; `nil` for none.
        public var commandsLeftOut: UInt64?

        /// Makes one.
        public init(
            epoch: UInt64, step: UInt64? = nil, first: UInt64? = nil, last: UInt64? = nil, target: UInt64,
            duplicate: Bool = false, changes: [Change]? = nil, commands: [CommandMessage] = [],
            commandsLeftOut: UInt64? = nil
        ) {
            self.epoch = epoch
            self.step = step
            self.first = first
            self.last = last
            self.target = target
            self.duplicate = duplicate
            self.changes = changes
            self.commands = commands
            self.commandsLeftOut = commandsLeftOut
        }

        /// The fields in order.
        public static let fieldNames = [
            "epoch", "step", "first", "last", "target", "duplicate", "changes", "commands", "commandsLeftOut",
        ]

        /// Reads the fields.
        public init(_ fields: FieldReader) throws(APIError) {
            epoch = try fields.integer("epoch")
            step = try fields.optionalInteger("step")
            first = try fields.optionalInteger("first")
            last = try fields.optionalInteger("last")
            target = try fields.integer("target")
            duplicate = try fields.flag("duplicate")
            changes = try fields.optionalMessages("changes")
            commands = try fields.messages("commands")
            commandsLeftOut = try fields.optionalInteger("commandsLeftOut")
        }

        /// Writes the fields.
        public func write(fields writer: inout ObjectWriter) {
            writer.field("epoch", epoch)
            writer.field("step", step)
            writer.field("first", first)
            writer.field("last", last)
            writer.field("target", target)
            writer.field("duplicate", duplicate)
            writer.field("changes", changes)
            writer.field("commands", commands)
            writer.field("commandsLeftOut", commandsLeftOut)
        }
    }
}
