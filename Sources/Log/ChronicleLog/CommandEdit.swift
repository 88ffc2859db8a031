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

extension CommandEdit: RowCoding {
    public init() { self.init(before: CommandCall(), after: CommandCall()) }

    public mutating func code<Coder: RowCoder>(_ fields: inout Coder) throws(Coder.Failure) {
        try fields.message(1, &before)
        try fields.message(2, &after)
    }

    /// An edit changes arguments alone.
    public var isValid: Bool {
        before.name.hasSameBytes(as: after.name) && before.version == after.version && !after.name.isEmpty
    }
}
