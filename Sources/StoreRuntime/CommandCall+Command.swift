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
        let (whole, isOver) = seconds.multipliedReportingOverflow(by: 1_000_000)
        guard !isOver else { return seconds < 0 ? .min : .max }
        return whole.adding(clamping: attoseconds / 1_000_000_000_000)
    }
}
