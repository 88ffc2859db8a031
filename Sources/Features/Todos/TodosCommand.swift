public import Fields

extension Todos {
    /// The work that the todo list asks for.
    public enum Command: CasedCommand {
        /// Loads todos from their source; the latest wins.
        case load

        /// `todos.load`.
        public static let feature = "todos"

        /// Idempotent; a later one takes the place of an earlier.
        public var policy: CommandPolicy { CommandPolicy(cancelID: "load") }

        /// One of each case.
        public static let blanks: [Command?] = [.load]

        /// The fields of each case.
        public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
            visitor.choose(1, "load")
        }
    }
}
