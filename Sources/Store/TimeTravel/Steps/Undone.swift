public import Chronicle
public import ChronicleLog
public import ChronicleStore

public struct Undone<Command: NamedCommand>: Sendable {
    /// An external effect that had already happened.
    public struct Effect: Sendable, Equatable {
        public var id: CommandID
        public var command: Command
        /// Whether it finished; otherwise it was cancelled after it began, and may or may not have happened.
        public var isCertain: Bool
    }

    /// The store's result: the records, the changes, and the commands requested now.
    public var answer: DispatchResult<Command>
    /// The step of the records; 0 without records.
    public var step: UInt64
    /// The undone steps, newest first.
    public var steps: [UInt64] = []
    public var effects: [Effect] = []

    /// Digest of the parts of the result that the store does not know.
    static func aside(steps: [UInt64], effects: [Effect]) -> UInt64 {
        var writer = CanonicalWriter()
        for step in steps { writer.element(1, step) }
        for effect in effects {
            writer.message(2) { writer in
                writer.field(1, effect.id.sequence)
                writer.field(2, UInt64(effect.id.index))
                writer.field(3, effect.isCertain)
            }
        }
        return Checksum.of(writer.bytes.span.bytes)
    }
}
