public import Records
public import Reducing
public import StoreRuntime
import Values

/// What came of taking something back.
public struct Undone<Command: NamedCommand>: Sendable {
    /// Something that had happened out there already.
    public struct Effect: Sendable, Equatable {
        /// The command that did it.
        public var id: CommandID
        /// What it was to do.
        public var command: Command
        /// Whether it came to its end; if not, it was cancelled after it had begun, and may or may not have happened.
        public var isCertain: Bool
    }

    /// What the store answered: the records, what changed, and what is asked for now.
    public var answer: Acknowledgement<Command>
    /// The step that the records are; 0 if there are none.
    public var step: UInt64
    /// The steps that were taken back, the newest first.
    public var steps: [UInt64] = []
    /// What had happened out there already.
    public var effects: [Effect] = []

    /// Stands for what is told of taking something back beside what the store finds out.
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
