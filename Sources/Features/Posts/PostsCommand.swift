public import Fields

extension Posts {
    /// The work that the posts ask for.
    public enum Command: CasedCommand {
        /// Fetches a page, from 1; the latest wins.
        case fetch(page: Int64, into: Destination)

        /// What becomes of the posts of a page.
        public enum Destination: String, Sendable, Equatable, CaseIterable {
            /// They replace all posts; the fact is `set`.
            case set
            /// They come behind all others; the fact is `append`.
            case append
        }

        /// `posts.fetch`.
        public static let feature = "posts"

        /// Idempotent; a later one takes the place of an earlier.
        public var policy: CommandPolicy { CommandPolicy(cancelID: "fetch") }

        /// A case by its number, its fields as they begin.
        public static func blank(_ number: UInt32) -> Command? {
            switch number {
            case 1: .fetch(page: 0, into: .set)
            default: nil
            }
        }

        /// The fields of each case.
        public consuming func visited<Visitor: FieldVisitor>(by visitor: inout Visitor) throws(Visitor.Failure) -> Self {
            switch consume self {
            case .fetch(var page, var destination):
                visitor.choose(1, "fetch")
                try visitor.field(1, "page", &page, .required)
                try visitor.field(2, "into", &destination, .required)
                return .fetch(page: page, into: destination)
            }
        }
    }
}

/// Whether posts are appended.
extension Posts.Command.Destination: Field {
    /// Its name.
    public static var shape: Shape { .text }
    /// Whether the posts replace all others.
    public var isInitial: Bool { self == .set }
    /// Its name.
    public var value: Value { .text(rawValue) }

    /// Reads a name.
    public init(_ value: Value) throws(ValueMismatch) {
        let name = try String(value)
        guard let destination = Self(rawValue: name) else { throw ValueMismatch("", "set or append is expected") }
        self = destination
    }

    /// 1 or 0.
    public func write(_ number: UInt32, into writer: inout CanonicalWriter) {
        (self == .append).write(number, into: &writer)
    }

    /// Reads 1 or 0.
    public static func readAny(_ bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) -> Self {
        try Bool.readAny(bytes, &cursor) ? .append : .set
    }
}

extension Posts {
    /// That nothing was fetched; of a request whose place a later one took, or that waits for a person, nothing.
    public static func ended(_ command: Command, _ end: CommandEnd) -> Action? { end.reason.map(Action.failed) }
}
