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

        /// One of each case.
        public static let blanks: [Command?] = [.star(""), .unstar("")]

        /// The fields of each case.
        public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
            var button = StarID(id)
            switch self {
            case .star:
                visitor.choose(1, "star")
                try visitor.field(1, "id", &button, .needed)
                self = .star(button.text)
            case .unstar:
                visitor.choose(2, "unstar")
                try visitor.field(1, "id", &button, .needed)
                self = .unstar(button.text)
            }
        }
    }
}
