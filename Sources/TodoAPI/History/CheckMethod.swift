/// Tells whether an expression holds at every moment.
public enum CheckMethod: Method {
    /// Its full name.
    public static let name = "org.todod.History.Check"

    /// What is asked.
    public struct Input: Message {
        /// The expression.
        public var expression: String
        /// The first moment; the start, if left out.
        public var from: Point?
        /// The last moment; now, if left out.
        public var to: Point?
        /// Every moment at which it does not hold, not only the first.
        public var all: Bool?

        /// Makes one.
        public init(expression: String, from: Point? = nil, to: Point? = nil, all: Bool? = nil) {
            self.expression = expression
            self.from = from
            self.to = to
            self.all = all
        }

        /// The fields in order.
        public static let fieldNames = ["expression", "from", "to", "all"]

        /// Reads the fields.
        public init(_ fields: FieldReader) throws(APIError) {
            expression = try fields.text("expression")
            from = try fields.optionalMessage("from")
            to = try fields.optionalMessage("to")
            all = try fields.optionalFlag("all")
        }

        /// Writes the fields.
        public func write(fields writer: inout ObjectWriter) {
            writer.field("expression", expression)
            writer.field("from", from)
            writer.field("to", to)
            writer.field("all", all)
        }
    }

    /// What is answered.
    public struct Output: Message {
        /// The record that is reached.
        public var reached: UInt64
        /// The first moment that was looked at.
        public var from: UInt64?
        /// The last one.
        public var to: UInt64?
        /// Where it does not hold.
        public var violations: [SpanMessage]?
        /// Whether there are more.
        public var cut: Bool?

        /// Makes one.
        public init(reached: UInt64, from: UInt64? = nil, to: UInt64? = nil, violations: [SpanMessage]? = nil, cut: Bool? = nil) {
            self.reached = reached
            self.from = from
            self.to = to
            self.violations = violations
            self.cut = cut
        }

        /// The fields in order.
        public static let fieldNames = ["reached", "from", "to", "violations", "cut"]

        /// Reads the fields.
        public init(_ fields: FieldReader) throws(APIError) {
            reached = try fields.integer("reached")
            from = try fields.optionalInteger("from")
            to = try fields.optionalInteger("to")
            violations = try fields.optionalMessages("violations")
            cut = try fields.optionalFlag("cut")
        }

        /// Writes the fields.
        public func write(fields writer: inout ObjectWriter) {
            writer.field("reached", reached)
            writer.field("from", from)
            writer.field("to", to)
            writer.field("violations", violations)
            writer.field("cut", cut)
        }
    }
}
