import Chronicle

extension Star.Phase {
    /// Whether a request is running; its button is disabled.
    public var isTransition: Bool { self == .staring || self == .unstaring }
}

/// The ID of a button; `prepare` refuses an invalid one, so the log contains only IDs that `Stars.Limits` allows.
struct StarID: Field, Equatable {
    @ByteEqual var content: String

    init(_ content: String) { self.content = content }

    static var shape: Shape { .text }
    var isInitial: Bool { content.utf8.isEmpty }
    var value: Value { .text(content) }

    init(_ value: Value) throws(ValueMismatch) { self.init(try String(value)) }

    func write(_ number: UInt32, into writer: inout CanonicalWriter) { content.write(number, into: &writer) }

    static func readAny(_ bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) -> StarID {
        let id = StarID(try String.readAny(bytes, &cursor))
        guard Stars.Limits.allows(id: id.content) else { throw CanonicalError(.notCanonical, at: cursor.offset) }
        return id
    }
}
