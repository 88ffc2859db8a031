public import Chronicle
public import ChronicleLog

/// A past state that can be folded further.
public struct PastState<App: Feature>: Sendable where App.State: CanonicalCodable, App.Action: CanonicalCodable {
    /// The last folded record; 0 is the start.
    public var sequence: UInt64
    /// The time of that record, in microseconds since 1970; 0 before the first.
    public var time: Int64
    public var state: App.State
    /// Approximate canonical bytes of the state.
    public var bytes: UInt64
    /// Number of records folded since the cached state.
    public var folded: UInt64
    /// Number of redactions of the log when the fold began.
    public var redactions: UInt64
    /// States with the same lineage share all unchanged parts.
    var lineage = Lineage.base

    /// Origin of the state that others were folded from.
    enum Lineage: Hashable, Sendable {
        case base
        case present
        /// A decoded snapshot; each load is a different one.
        case decoded(UInt64)
    }

    public init(
        sequence: UInt64 = 0, time: Int64 = 0, state: App.State, bytes: UInt64 = 0, folded: UInt64 = 0, redactions: UInt64 = 0
    ) {
        self.sequence = sequence
        self.time = time
        self.state = state
        self.bytes = bytes
        self.folded = folded
        self.redactions = redactions
    }

    /// Estimates the size of a state that never was a snapshot, from its lists.
    mutating func estimateBytes() {
        guard bytes == 0 else { return }
        bytes = App.lists(of: state).reduce(256) { $0 + UInt64($1.count) * 64 }
    }

    /// Applies the next record with its action, or, in a dry-run fold, with another action or none.
    /// - Returns: the commands that the reducer requested; they are not run.
    @discardableResult
    public mutating func apply(_ action: App.Action?, of record: HeaderFields) -> [App.Command] {
        sequence = record.sequence
        time = record.time
        folded += 1
        guard let action else { return [] }
        return App.reduce(&state, action, Context(time: record.time, origin: record.origin))
    }
}
