public import Reducing

/// Reads the state, or one scope of it.
public enum GetStateMethod: Method {
    /// Its full name.
    public static let name = "org.todod.Store.GetState"

    /// What is asked.
    public struct Input: Message {
        /// A feature or one field of its state; everything, if left out.
        public var scope: String?
        /// Wait at most 10 seconds for this sequence.
        public var minimumSequence: UInt64?
        /// The epoch of that sequence.
        public var epoch: UInt64?
        /// The moment whose state is wanted; the newest, if left out.
        public var at: Point?
        /// Of the list that the scope is, only the element of this id.
        public var id: Int64?
        /// Of the list that the scope is, only the elements for which this expression on their fields holds.
        public var condition: String?
        /// Of these only the first so many.
        public var limit: UInt64?

        /// Makes one.
        public init(
            scope: String? = nil, minimumSequence: UInt64? = nil, epoch: UInt64? = nil, at: Point? = nil, id: Int64? = nil,
            condition: String? = nil, limit: UInt64? = nil
        ) {
            self.scope = scope
            self.minimumSequence = minimumSequence
            self.epoch = epoch
            self.at = at
            self.id = id
            self.condition = condition
            self.limit = limit
        }

        /// The fields in order.
        public static let fieldNames = ["scope", "minimumSequence", "epoch", "at", "id", "where", "limit"]

        /// Reads the fields.
        public init(_ fields: FieldReader) throws(APIError) {
            scope = try fields.optionalText("scope")
            minimumSequence = try fields.optionalInteger("minimumSequence")
            epoch = try fields.optionalInteger("epoch")
            at = try fields.optionalMessage("at")
            id = try fields.optionalInteger("id")
            condition = try fields.optionalText("where")
            limit = try fields.optionalInteger("limit")
        }

        /// Writes the fields.
        public func write(fields writer: inout ObjectWriter) {
            writer.field("scope", scope)
            writer.field("minimumSequence", minimumSequence)
            writer.field("epoch", epoch)
            writer.field("at", at)
            writer.field("id", id)
            writer.field("where", condition)
            writer.field("limit", limit)
        }
    }

    /// What is answered.
    public struct Output: Message {
        /// The epoch of the sequence.
        public var epoch: UInt64
        /// What the state is the state at.
        public var sequence: UInt64
        /// A record; with `more` a part: first all but lists, then their next elements.
        public var state: Value
        /// The time of that record, in microseconds since 1970; only of a moment that was asked for.
        public var time: Int64?
        /// How many records were folded to know the state; only of a moment that was asked for.
        public var folded: UInt64?
        /// How many elements the list has; only where some of them were asked for.
        public var count: UInt64?

        /// Makes one.
        public init(
            epoch: UInt64, sequence: UInt64, state: Value, time: Int64? = nil, folded: UInt64? = nil, count: UInt64? = nil
        ) {
            self.epoch = epoch
            self.sequence = sequence
            self.state = state
            self.time = time
            self.folded = folded
            self.count = count
        }

        /// The fields in order.
        public static let fieldNames = ["epoch", "sequence", "state", "time", "folded", "count"]

        /// Reads the fields.
        public init(_ fields: FieldReader) throws(APIError) {
            epoch = try fields.integer("epoch")
            sequence = try fields.integer("sequence")
            state = try fields.record("state")
            time = try fields.optionalInteger("time")
            folded = try fields.optionalInteger("folded")
            count = try fields.optionalInteger("count")
        }

        /// Writes the fields.
        public func write(fields writer: inout ObjectWriter) {
            writer.field("epoch", epoch)
            writer.field("sequence", sequence)
            writer.field("state", state)
            writer.field("time", time)
            writer.field("folded", folded)
            writer.field("count", count)
        }
    }
}
