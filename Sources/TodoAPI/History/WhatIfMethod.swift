public import Reducing

/// Asks what would be if history had gone otherwise.
public enum WhatIfMethod: Method {
    /// Its full name.
    public static let name = "org.todod.History.WhatIf"

    /// What is asked.
    public struct Input: Message {
        /// What is to be different.
        public var alterations: [AlterationMessage]
        /// The moment whose states are compared; now, if left out.
        public var at: Point?
        /// Whether a record is skipped without its step.
        public var only: Bool?
        /// Whether the results of commands stay that nothing asks for any more.
        public var keepResults: Bool?

        /// Makes one.
        public init(
            alterations: [AlterationMessage], at: Point? = nil, only: Bool? = nil, keepResults: Bool? = nil
        ) {
            self.alterations = alterations
            self.at = at
            self.only = only
            self.keepResults = keepResults
        }

        /// The fields in order.
        public static let fieldNames = ["alterations", "at", "only", "keepResults"]

        /// Reads the fields.
        public init(_ fields: FieldReader) throws(APIError) {
            alterations = try fields.messages("alterations")
            at = try fields.optionalMessage("at")
            only = try fields.optionalFlag("only")
            keepResults = try fields.optionalFlag("keepResults")
        }

        /// Writes the fields.
        public func write(fields writer: inout ObjectWriter) {
            writer.field("alterations", alterations)
            writer.field("at", at)
            writer.field("only", only)
            writer.field("keepResults", keepResults)
        }
    }

    /// What is answered.
    public struct Output: Message {
        /// The record that the fold has come to.
        public var reached: UInt64
        /// The last moment that both histories share.
        public var from: UInt64?
        /// The moment whose states are compared.
        public var to: UInt64?
        /// What leads from the state that was to the other one; a piece of it.
        public var changes: [Change]?
        /// What became of records.
        public var records: [AlteredRecordMessage]?
        /// Commands that would not have run.
        public var notRun: [MissingCommandMessage]?
        /// Commands that would have run.
        public var wouldRun: [AskedCommandMessage]?
        /// How many records are skipped.
        public var skipped: UInt64?
        /// How many fell away with the command that brought them.
        public var vanished: UInt64?
        /// Whether some of what would be listed is left out.
        public var cut: Bool?

        /// Makes one that says how far the fold is.
        public init(reached: UInt64) { self.reached = reached }

        /// The fields in order.
        public static let fieldNames = [
            "reached", "from", "to", "changes", "records", "notRun", "wouldRun", "skipped", "vanished", "cut",
        ]

        /// Reads the fields.
        public init(_ fields: FieldReader) throws(APIError) {
            reached = try fields.integer("reached")
            from = try fields.optionalInteger("from")
            to = try fields.optionalInteger("to")
            changes = try fields.optionalMessages("changes")
            records = try fields.optionalMessages("records")
            notRun = try fields.optionalMessages("notRun")
            wouldRun = try fields.optionalMessages("wouldRun")
            skipped = try fields.optionalInteger("skipped")
            vanished = try fields.optionalInteger("vanished")
            cut = try fields.optionalFlag("cut")
        }

        /// Writes the fields.
        public func write(fields writer: inout ObjectWriter) {
            writer.field("reached", reached)
            writer.field("from", from)
            writer.field("to", to)
            writer.field("changes", changes)
            writer.field("records", records)
            writer.field("notRun", notRun)
            writer.field("wouldRun", wouldRun)
            writer.field("skipped", skipped)
            writer.field("vanished", vanished)
            writer.field("cut", cut)
        }
    }
}
