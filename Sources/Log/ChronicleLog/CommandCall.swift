public import ChronicleValues

/// A command as requested by a record; it is logged, not recomputed.
public struct CommandCall: Sendable, Equatable {
    public var name: String
    /// Version of the meaning and of the arguments' form.
    public var version: UInt32
    public var arguments: [UInt8]
    /// Whether it is only returned to the dispatcher and never enters the outbox.
    public var presentational: Bool

    public init(name: String, version: UInt32 = 1, arguments: [UInt8] = [], presentational: Bool = false) {
        self.name = name
        self.version = version
        self.arguments = arguments
        self.presentational = presentational
    }
}

extension CommandCall: RowCoding {
    public init() { self.init(name: "", version: 0) }

    public mutating func code<Coder: RowCoder>(_ fields: inout Coder) throws(Coder.Failure) {
        try fields.field(1, &name)
        try fields.field(2, &version)
        try fields.field(3, &arguments)
        try fields.field(4, &presentational)
    }
}
