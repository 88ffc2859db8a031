public import Values
public import Records
public import Reducing

extension CommandCall {
    /// A command as its record keeps it.
    public init(_ command: some NamedCommand & CanonicalCodable) {
        self.init(
            name: command.name, version: command.version, arguments: command.canonicalBytes,
            presentational: command.isPresentational)
    }
}
