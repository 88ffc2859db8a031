public import Chronicle
public import ChronicleLog

extension CommandCall {
    /// Encodes a command for its record.
    public init(_ command: some NamedCommand & CanonicalCodable) {
        self.init(
            name: command.name, version: command.version, arguments: command.canonicalBytes,
            presentational: command.isPresentational)
    }
}
