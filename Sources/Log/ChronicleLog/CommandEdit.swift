public import ChronicleValues

/// The payload of an edit record, which changes the arguments of the open command in its `cause`.
public struct CommandEdit: Sendable, Equatable {
    public var before: CommandCall
    /// The command from then on: same name and version, other arguments.
    public var after: CommandCall

    public init(before: CommandCall, after: CommandCall) {
        self.before = before
        self.after = after
    }
}

extension CommandEdit: CanonicalCodable {
    public func encode(into writer: inout CanonicalWriter) {
        writer.message(1, before)
        writer.message(2, after)
    }

    /// Decodes an edit; different names or versions are an error.
    public init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        self.init(before: CommandCall(name: ""), after: CommandCall(name: ""))
        while let number = try cursor.nextField(in: bytes) {
            switch number {
            case 1: before = try cursor.message(bytes)
            case 2: after = try cursor.message(bytes)
            default: throw cursor.unknown()
            }
        }
        guard before.name.hasSameBytes(as: after.name), before.version == after.version, !after.name.isEmpty else {
            throw CanonicalError(.notCanonical, at: cursor.offset)
        }
    }
}
