public import Reducing

/// Follows the store.
public enum SubscribeMethod: Method {
    /// Its full name.
    public static let name = "org.todod.Store.Subscribe"

    /// What is asked.
    public struct Input: Message {
        /// A feature or one field of its state; everything, if left out.
        public var scope: String?
        /// Where records begin, inclusive; only for the kind `records`.
        public var from: Point?
        /// `state` (if left out) or `records`.
        public var kind: String?
        /// The epoch of `from`.
        public var epoch: UInt64?

        /// Makes one.
        public init(scope: String? = nil, from: Point? = nil, kind: String? = nil, epoch: UInt64? = nil) {
            self.scope = scope
            self.from = from
            self.kind = kind
            self.epoch = epoch
        }

        /// The fields in order.
        public static let fieldNames = ["scope", "from", "kind", "epoch"]

        /// Reads the fields.
        public init(_ fields: FieldReader) throws(APIError) {
            scope = try fields.optionalText("scope")
            from = try fields.optionalMessage("from")
            kind = try fields.optionalText("kind")
            epoch = try fields.optionalInteger("epoch")
        }

        /// Writes the fields.
        public func write(fields writer: inout ObjectWriter) {
            writer.field("scope", scope)
            writer.field("from", from)
            writer.field("kind", kind)
            writer.field("epoch", epoch)
        }
    }

    /// What is answered.
    public struct Output: Message {
        /// The epoch of the sequence.
        public var epoch: UInt64
        /// Up to here everything is told.
        public var sequence: UInt64
        /// The time of that record.
        public var time: Int64
        /// False while more pages of the same state follow.
        public var complete: Bool
        /// A page of the state; the first replaces what was sent before.
        public var state: Value?
        /// What changed since the item before.
        public var changes: [Change]?
        /// The newest records since the item before.
        public var records: [RecordMessage]
        /// What those records asked for.
        public var commands: [CommandMessage]
        /// How many records since the item before are not in `records`.
        public var skipped: UInt64

        /// Makes one.
        public init(
            epoch: UInt64, sequence: UInt64, time: Int64, complete: Bool = true, state: Value? = nil, changes: [Change]? = nil,
            records: [RecordMessage] = [], commands: [CommandMessage] = [], skipped: UInt64 = 0
        ) {
            self.epoch = epoch
            self.sequence = sequence
            self.time = time
            self.complete = complete
            self.state = state
            self.changes = changes
            self.records = records
            self.commands = commands
            self.skipped = skipped
        }

        /// The fields in order.
        public static let fieldNames = [
            "epoch", "sequence", "time", "complete", "state", "changes", "records", "commands", "skipped",
        ]

        /// Reads the fields.
        public init(_ fields: FieldReader) throws(APIError) {
            epoch = try fields.integer("epoch")
            sequence = try fields.integer("sequence")
            time = try fields.integer("time")
            complete = try fields.flag("complete")
            state = try fields.optionalRecord("state")
            changes = try fields.optionalMessages("changes")
            records = try fields.messages("records")
            commands = try fields.messages("commands")
            skipped = try fields.integer("skipped")
        }

        /// Writes the fields.
        public func write(fields writer: inout ObjectWriter) {
            writer.field("epoch", epoch)
            writer.field("sequence", sequence)
            writer.field("time", time)
            writer.field("complete", complete)
            writer.field("state", state)
            writer.field("changes", changes)
            writer.field("records", records)
            writer.field("commands", commands)
            writer.field("skipped", skipped)
        }
    }
}
