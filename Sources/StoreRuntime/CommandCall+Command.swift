package import ActionCoding
package import ActionLogs
package import Reducing

extension CommandCall {
    /// A command as its record keeps it.
    package init(_ command: some NamedCommand & CanonicalCodable) {
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
