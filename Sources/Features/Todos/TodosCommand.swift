public import ActionCoding
public import Reducing

extension Todos {
    /// The work that the todo list asks for.
    public enum Command: NamedCommand, CanonicalCodable {
        /// Loads todos from their source; the latest wins.
        case load

        /// `todos.load`.
        public var name: String { "todos.load" }

        /// Idempotent; a later one takes the place of an earlier.
        public var policy: CommandPolicy { CommandPolicy(cancelID: "load") }

        /// None.
        public var arguments: Value { [:] }

        /// One field, the case, with an empty message: 1 load.
        public func encode(into writer: inout CanonicalWriter) { writer.message(1) { _ in } }

        /// Reads what `encode` wrote.
        public init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
            guard let number = try cursor.nextField(in: bytes) else { throw CanonicalError(.missingField(1), at: cursor.offset) }
            guard number == 1 else { throw cursor.unknown() }
            let inner = try cursor.enterSingle(bytes)
            guard inner.isAtEnd else { throw CanonicalError(.trailingBytes, at: inner.offset) }
            self = .load
        }
    }
}
