import ChronicleLog
import ChronicleValues

/// A request to undo steps.
public struct UndoRequest: Sendable, Equatable {
    public enum Choice: Sendable, Equatable {
        /// The last n active steps, except undos, edits, queries, and steps of results only.
        case last(Int)
        /// These steps, by their number or any of their records; undos are allowed.
        case steps([UInt64])
        /// The last n undos, unless something new was done since.
        case redo(Int)
    }

    public var choice: Choice
    /// The uid of the requesting peer.
    public var origin: UInt32
    /// Whether steps of all uids may be undone.
    public var isForAnyone: Bool
    /// Whether to overwrite values that have changed since.
    public var insists: Bool
    /// The idempotency key.
    public var key: String?
    /// The outcome of a dry run; if the outcome differs now, nothing is done.
    public var expectedOutcome: UInt64?
    /// Whether it is a dry run.
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

    var call: UndoCall {
        var writer = CanonicalWriter()
        switch choice {
        case .last(let count): writer.element(1, UInt64(clamping: count))
        case .steps(let steps): for step in steps { writer.element(2, step) }
        case .redo(let count): writer.element(3, UInt64(clamping: count))
        }
        writer.field(4, isForAnyone)
        writer.field(5, insists)
        return UndoCall(
            origin: origin, key: key, digest: Checksum.of(writer.bytes.span.bytes), expectedOutcome: expectedOutcome,
            isDryRun: isDryRun)
    }
}

/// The parameters that all undos share.
struct UndoCall: Sendable {
    var origin: UInt32
    var key: String?
    /// Identifies the request of a key.
    var digest: UInt64
    var expectedOutcome: UInt64?
    var isDryRun: Bool
}
