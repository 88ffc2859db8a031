public import ActionCoding
public import Reducing

extension App {
    /// The work that reducers ask for; no feature asks for any so far.
    public enum Command: NamedCommand, CanonicalCodable {
        /// Its name; there is none.
        public var name: String { switch self {} }

        /// Never called: there is nothing to write.
        public func encode(into writer: inout CanonicalWriter) { switch self {} }

        /// Always fails: there is nothing to read.
        public init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
            throw CanonicalError(.unknownField(try cursor.nextField(in: bytes) ?? 0), at: cursor.offset)
        }
    }
}
