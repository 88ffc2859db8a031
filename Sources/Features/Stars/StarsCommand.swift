public import Fields

extension Stars {
    /// The work that star buttons ask for: one request after another for each id.
    public enum Command: CasedCommand {
        /// Gives a star.
        case star(String)
        /// Takes the star back.
        case unstar(String)

        /// Which button.
        public var id: String {
            switch self {
            case .star(let id), .unstar(let id): id
            }
        }

        /// `stars.star` or `stars.unstar`.
        public static let feature = "stars"

        /// Idempotent; the requests of one id in their order.
        public var policy: CommandPolicy { CommandPolicy(group: id) }

        /// Whoever has the star sees it.
        public var leavesTrace: Bool { true }

        /// A case by its number, its fields as they begin.
        public static func blank(_ number: UInt32) -> Command? {
            switch number {
            case 1: .star("")
            case 2: .unstar("")
            default: nil
            }
        }

        /// The fields of each case.
        public consuming func visited<Visitor: FieldVisitor>(by visitor: inout Visitor) throws(Visitor.Failure) -> Self {
            let id = id
            switch consume self {
            case .star: return .star(try visitor.choose(1, "star", button: id))
            case .unstar: return .unstar(try visitor.choose(2, "unstar", button: id))
            }
        }
    }
}

extension Stars {
    /// That the button shows again what it showed before; of a request that waits for a person, nothing.
    public static func ended(_ command: Command, _ end: CommandEnd) -> Action? {
        switch end {
        case .failed(let reason): .failed(command.id, reason: reason)
        case .skipped: .failed(command.id, reason: "it was skipped")
        case .cancelled, .superseded: .failed(command.id, reason: "it was cancelled")
        // The request is still to be made.
        case .parked: nil
        }
    }
}
