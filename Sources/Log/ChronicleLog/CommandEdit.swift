public import ChronicleValues

/// That an open command got other arguments; what the record of an edit holds, whose cause names the command.
public struct CommandEdit: Sendable, Equatable {
    /// What was to be done before.
    public var before: CommandCall
    /// What is to be done from then on: the same by name and version, with other arguments.
    public var after: CommandCall

    public init(before: CommandCall, after: CommandCall) {
        self.before = before
        self.after = after
    }
}

extension CommandEdit: CanonicalCodable {
    /// Fields: 1 before, 2 after.
    public func encode(into writer: inout CanonicalWriter) {
        writer.message(1, before)
        writer.message(2, after)
    }

    /// Reads an edit; one of a command that became another is an error.
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
