public import Records
public import Reducing
public import Values

/// A state of the past, and how to go on from it.
public struct PastState<App: Feature>: Sendable where App.State: CanonicalCodable, App.Action: CanonicalCodable {
    /// The last record that the state holds; 0 is before everything.
    public var sequence: UInt64
    /// The time of that record, in microseconds since 1970; 0 before the first.
    public var time: Int64
    public var state: App.State
    /// About how many canonical bytes the state has.
    public var bytes: UInt64
    /// How many records were folded to come here from what was kept.
    public var folded: UInt64
    /// How many redactions the log had when the fold began.
    public var redactions: UInt64
    /// What it shares all with that no record changed since.
    var lineage = Lineage.base

    /// Where the state comes from that others were folded on from.
    enum Lineage: Hashable, Sendable {
        case base
        case present
        /// A snapshot that was read, each time another one.
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

    /// Guesses how large a state is that never was a snapshot: what is large in it is a list.
    mutating func estimateBytes() {
        guard bytes == 0 else { return }
        bytes = App.lists(of: state).reduce(256) { $0 + UInt64($1.count) * 64 }
    }

    /// Goes one record on, with the action that it holds or, on a fold beside the log, with another one or none.
    ///
    /// - Returns: the commands that the reducer asks for; nobody runs them.
    @discardableResult
    public mutating func apply(_ action: App.Action?, of record: HeaderFields) -> [App.Command] {
        sequence = record.sequence
        time = record.time
        folded += 1
        guard let action else { return [] }
        return App.reduce(&state, action, Context(time: record.time, origin: record.origin))
    }
}
