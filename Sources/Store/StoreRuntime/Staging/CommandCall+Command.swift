public import Records
public import Reducing
public import Values

extension CommandCall {
    /// A command as its record keeps it.
    public init(_ command: some NamedCommand & CanonicalCodable) {
        self.init(
            name: command.name, version: command.version, arguments: command.canonicalBytes,
            presentational: command.isPresentational)
    }
}
