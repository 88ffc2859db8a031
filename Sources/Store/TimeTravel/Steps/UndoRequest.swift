import Records
import Values

/// What is to be taken back, and for whom.
public struct UndoRequest: Sendable, Equatable {
    public enum Choice: Sendable, Equatable {
        /// So many of the last ones that still stand, and are no undo, no typing, no mere request to see something and not only
        /// what a command brought.
        case last(Int)
        /// These, by their number or that of any record of theirs; also steps that took something back.
        case steps([UInt64])
        /// So many of the last steps that took something back, unless something new was done since.
        case redo(Int)
    }

    public var choice: Choice
    /// The uid of the peer who asks.
    public var origin: UInt32
    /// Whether everybody's steps may be taken back, not only those of this uid.
    public var isForAnyone: Bool
    /// Whether values that have changed since are overwritten.
    public var insists: Bool
    /// Makes a retry harmless.
    public var key: String?
    /// What a dry run said that it comes to; if that is something else by now, nothing is done.
    public var expectedOutcome: UInt64?
    /// Whether it is only tried out.
    public var isDryRun: Bool

    public init(
        _ choice: Choice, origin: UInt32, isForAnyone: Bool = false, insists: Bool = false, key: String? = nil,
        expectedOutcome: UInt64? = nil, isDryRun: Bool = false
    ) {
        self.choice = choice
        self.origin = origin
        self.isForAnyone = isForAnyone
        self.insists = insists
        self.key = key
        self.expectedOutcome = expectedOutcome
        self.isDryRun = isDryRun
    }

    /// Stands for what is asked for under a key.
    var digest: UInt64 {
        var writer = CanonicalWriter()
        switch choice {
        case .last(let count): writer.element(1, UInt64(clamping: count))
        case .steps(let steps): for step in steps { writer.element(2, step) }
        case .redo(let count): writer.element(3, UInt64(clamping: count))
        }
        writer.field(4, isForAnyone)
        writer.field(5, insists)
        return Checksum.of(writer.bytes.span.bytes)
    }
}
