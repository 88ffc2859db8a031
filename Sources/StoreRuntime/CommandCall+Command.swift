public import ActionCoding
public import ActionLogs
public import Reducing

extension CommandCall {
    /// A command as its record keeps it.
    public init(_ command: some NamedCommand & CanonicalCodable) {
        self.init(
            name: command.name, version: command.version, arguments: command.canonicalBytes,
            presentational: command.isPresentational)
    }
}

extension Duration {
    /// Whole microseconds; what is finer is cut off.
    package var microseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1_000_000 + attoseconds / 1_000_000_000_000
    }
}
