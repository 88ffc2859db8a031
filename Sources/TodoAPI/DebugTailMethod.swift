public import Reducing

/// Follows what the features that are debugged do.
public enum DebugTailMethod: Method {
    /// Its full name.
    public static let name = "org.todod.Admin.DebugTail"

    /// Nothing is asked.
    public typealias Input = NoFields

    /// What is answered: one record.
    public struct Output: Message {
        /// Its position.
        public var sequence: UInt64
        /// Microseconds since 1970.
        public var time: Int64
        /// The feature whose action it holds.
        public var feature: String
        /// The action, a record with one field per level.
        public var action: Value
        /// What it changed in the state: a line beginning with `-` for what was, with `+` for what is.
        public var lines: [String]
        /// How many further lines there are; `nil` for none.
        public var linesLeftOut: UInt64?
        /// Whether only the name of the action is told, because all of it is too much for one answer.
        public var cut: Bool?

        /// Bytes of the lines, and of the action, in one answer.
        public static let partBytesMax = 512 << 10

        /// Makes one.
        public init(
            sequence: UInt64, time: Int64, feature: String, action: Value, lines: [String], linesLeftOut: UInt64? = nil,
            cut: Bool? = nil
        ) {
            self.sequence = sequence
            self.time = time
            self.feature = feature
            self.action = action
            self.lines = lines
            self.linesLeftOut = linesLeftOut
            self.cut = cut
        }

        /// The same, without what is too much for one answer: the last lines, and what the action holds beside its name.
        public func fitting() -> Output {
            var output = self
            var bytes = 0
            output.lines = Array(
                lines.prefix { line in
                    bytes += Value.text(line).jsonText.utf8.count + 1
                    return bytes <= Self.partBytesMax
                })
            if output.lines.count < lines.count { output.linesLeftOut = UInt64(lines.count - output.lines.count) }
            if action.jsonText.utf8.count > Self.partBytesMax, case .record(let features) = action, let feature = features.first,
                case .record(let actions) = feature.value, let name = actions.first?.name
            {
                output.action = .record([.init(feature.name, .record([.init(name, [:])]))])
                output.cut = true
            }
            return output
        }

        /// The fields in order.
        public static let fieldNames = ["sequence", "time", "feature", "action", "lines", "linesLeftOut", "cut"]

        /// Reads the fields.
        public init(_ fields: FieldReader) throws(APIError) {
            sequence = try fields.integer("sequence")
            time = try fields.integer("time")
            feature = try fields.text("feature")
            action = try fields.record("action")
            lines = try fields.texts("lines")
            linesLeftOut = try fields.optionalInteger("linesLeftOut")
            cut = try fields.optionalFlag("cut")
        }

        /// Writes the fields.
        public func write(fields writer: inout ObjectWriter) {
            writer.field("sequence", sequence)
            writer.field("time", time)
            writer.field("feature", feature)
            writer.field("action", action)
            writer.field("lines", lines.map { .text($0) })
            writer.field("linesLeftOut", linesLeftOut)
            writer.field("cut", cut)
        }
    }
}
