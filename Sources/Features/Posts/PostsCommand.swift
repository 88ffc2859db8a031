public import ActionCoding
public import Reducing

extension Posts {
    /// The work that the posts ask for.
    public enum Command: NamedCommand, CanonicalCodable {
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
        public var name: String { "posts.fetch" }

        /// Idempotent; a later one takes the place of an earlier.
        public var policy: CommandPolicy { CommandPolicy(cancelID: "fetch") }

        /// `{page, into}`.
        public var arguments: Value {
            switch self {
            case .fetch(let page, let destination): ["page": .int(page), "into": .text(destination.rawValue)]
            }
        }

        /// One field, the case, with a message: 1 fetch (1 page, 2 whether its posts are appended).
        public func encode(into writer: inout CanonicalWriter) {
            switch self {
            case .fetch(let page, let destination):
                writer.message(1) { writer in
                    writer.field(1, page)
                    writer.field(2, destination == .append)
                }
            }
        }

        /// Reads what `encode` wrote.
        public init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
            guard let number = try cursor.nextField(in: bytes) else { throw CanonicalError(.missingField(1), at: cursor.offset) }
            guard number == 1 else { throw cursor.unknown() }
            var inner = try cursor.enterSingle(bytes)
            var page: Int64 = 0
            var destination = Destination.set
            while let number = try inner.nextField(in: bytes) {
                switch number {
                case 1: page = try inner.int(bytes)
                case 2: destination = try inner.bool(bytes) ? .append : .set
                default: throw inner.unknown()
                }
            }
            self = .fetch(page: page, into: destination)
        }
    }
}
