public import Reducing

/// Finds the first record after which an expression holds.
public enum BisectMethod: Method {
    /// Its full name.
    public static let name = "org.todod.History.Bisect"

    /// What is asked.
    public struct Input: Message {
        /// The expression.
        public var expression: String
        /// A moment at which it does not hold; the start, if left out.
        public var good: Point?
        /// A later one, at which it does; now, if left out.
        public var bad: Point?
        /// Look at each record, however many there are.
        public var linear: Bool?
        /// Look for it by halves, however few there are.
        public var quick: Bool?

        /// Makes one.
        public init(expression: String, good: Point? = nil, bad: Point? = nil, linear: Bool? = nil, quick: Bool? = nil) {
            self.expression = expression
            self.good = good
            self.bad = bad
            self.linear = linear
            self.quick = quick
        }

        /// The fields in order.
        public static let fieldNames = ["expression", "good", "bad", "linear", "quick"]

        /// Reads the fields.
        public init(_ fields: FieldReader) throws(APIError) {
            expression = try fields.text("expression")
            good = try fields.optionalMessage("good")
            bad = try fields.optionalMessage("bad")
            linear = try fields.optionalFlag("linear")
            quick = try fields.optionalFlag("quick")
        }

        /// Writes the fields.
        public func write(fields writer: inout ObjectWriter) {
            writer.field("expression", expression)
            writer.field("good", good)
            writer.field("bad", bad)
            writer.field("linear", linear)
            writer.field("quick", quick)
        }
    }

    /// What is answered.
    public struct Output: Message {
        /// The record that is reached.
        public var reached: UInt64
        /// `found`, `heldAtStart` or `neverHeld`; not while it is looked for.
        public var outcome: String?
        /// Where the search began.
        public var from: UInt64?
        /// Where it ended.
        public var to: UInt64?
        /// The record that was found.
        public var sequence: UInt64?
        /// How often it changed between the moments that were looked at.
        public var flips: UInt64?
        /// The moments that were looked at.
        public var looks: [LookMessage]?
        /// What the record changed; left out where that is too much for one answer.
        public var changes: [Change]?
        /// `linear` or `halving`: how it was looked for.
        public var method: String?
        /// Whether the changes were left out.
        public var cut: Bool?

        /// Makes one.
        public init(
            reached: UInt64, outcome: String? = nil, from: UInt64? = nil, to: UInt64? = nil, sequence: UInt64? = nil,
            flips: UInt64? = nil, looks: [LookMessage]? = nil, changes: [Change]? = nil, method: String? = nil, cut: Bool? = nil
        ) {
            self.reached = reached
            self.outcome = outcome
            self.from = from
            self.to = to
            self.sequence = sequence
            self.flips = flips
            self.looks = looks
            self.changes = changes
            self.method = method
            self.cut = cut
        }

        /// The fields in order.
        public static let fieldNames = [
            "reached", "outcome", "from", "to", "sequence", "flips", "looks", "changes", "method", "cut",
        ]

        /// Reads the fields.
        public init(_ fields: FieldReader) throws(APIError) {
            reached = try fields.integer("reached")
            outcome = try fields.optionalText("outcome")
            from = try fields.optionalInteger("from")
            to = try fields.optionalInteger("to")
            sequence = try fields.optionalInteger("sequence")
            flips = try fields.optionalInteger("flips")
            looks = try fields.optionalMessages("looks")
            changes = try fields.optionalMessages("changes")
            method = try fields.optionalText("method")
            cut = try fields.optionalFlag("cut")
        }

        /// Writes the fields.
        public func write(fields writer: inout ObjectWriter) {
            writer.field("reached", reached)
            writer.field("outcome", outcome)
            writer.field("from", from)
            writer.field("to", to)
            writer.field("sequence", sequence)
            writer.field("flips", flips)
            writer.field("looks", looks)
            writer.field("changes", changes)
            writer.field("method", method)
            writer.field("cut", cut)
        }
    }
}
