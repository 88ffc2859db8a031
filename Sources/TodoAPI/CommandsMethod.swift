/// Lists the open commands.
public enum CommandsMethod: Method {
    /// Its full name.
    public static let name = "org.todod.Admin.Commands"

    /// Nothing is asked.
    public typealias Input = NoFields

    /// What is answered.
    public struct Output: Message {
        /// In the order in which they were asked for; with `more` at most 256 in each reply.
        public var commands: [OpenCommandMessage]

        /// Makes one.
        public init(commands: [OpenCommandMessage]) {
            self.commands = commands
        }

        /// The fields in order.
        public static let fieldNames = ["commands"]

        /// Reads the fields.
        public init(_ fields: FieldReader) throws(APIError) {
            commands = try fields.messages("commands")
        }

        /// Writes the fields.
        public func write(fields writer: inout ObjectWriter) {
            writer.field("commands", commands)
        }
    }
}
