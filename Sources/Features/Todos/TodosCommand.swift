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

        /// A case by its number, its fields as they begin.
        public static func blank(_ number: UInt32) -> Command? {
            switch number {
            case 1: .load
            default: nil
            }
        }

        /// The fields of each case.
        public consuming func visited<Visitor: FieldVisitor>(by visitor: inout Visitor) throws(Visitor.Failure) -> Self {
            visitor.choose(1, "load")
            return self
        }
    }
}

extension Todos {
    /// That nothing was loaded; of a load whose place a later one took, or that waits for a person, nothing.
    public static func ended(_ command: Command, _ end: CommandEnd) -> Action? { end.reason.map(Action.loadFailed) }
}
