public import ActionCoding
public import Reducing

extension Stars {
    /// The work that star buttons ask for: one request after another for each id.
    public enum Command: NamedCommand, CanonicalCodable {
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
        public var name: String {
            switch self {
            case .star: "stars.star"
            case .unstar: "stars.unstar"
            }
        }

        /// Idempotent; the requests of one id in their order.
        public var policy: CommandPolicy { CommandPolicy(group: id) }

        /// Whoever has the star sees it.
        public var leavesTrace: Bool { true }

        /// `{id}`.
        public var arguments: Value { ["id": .text(id)] }

        /// Compares ids by their bytes.
        public static func == (left: Self, right: Self) -> Bool { left.canonicalBytes == right.canonicalBytes }

        /// One field, the case, with a message: 1 star (1 id), 2 unstar (1 id).
        public func encode(into writer: inout CanonicalWriter) {
            switch self {
            case .star(let id): writer.message(1) { $0.field(1, id) }
            case .unstar(let id): writer.message(2) { $0.field(1, id) }
            }
        }

        /// Reads what `encode` wrote.
        public init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
            guard let choice = try cursor.nextField(in: bytes) else { throw CanonicalError(.missingField(1), at: cursor.offset) }
            guard choice == 1 || choice == 2 else { throw cursor.unknown() }
            var inner = try cursor.enterSingle(bytes)
            var id = ""
            while let number = try inner.nextField(in: bytes) {
                guard number == 1 else { throw inner.unknown() }
                id = try inner.starID(bytes)
            }
            guard !id.utf8.isEmpty else { throw CanonicalError(.missingField(1), at: inner.offset) }
            self = choice == 1 ? .star(id) : .unstar(id)
        }
    }
}

extension CanonicalCursor {
    mutating func starID(_ bytes: RawSpan) throws(CanonicalError) -> String {
        let id = try text(bytes)
        guard Stars.Limits.allows(id: id) else { throw CanonicalError(.notCanonical, at: offset) }
        return id
    }
}
