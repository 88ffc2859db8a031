public import Chronicle

/// A what-if query: the edits of history, and the end of the replay.
public struct WhatIfQuery<App: Feature>: Sendable {
    public var edits: [Edit<App.Action>]
    /// The point whose state is requested.
    public var at: Point
    /// The uid that dispatches inserted actions.
    public var origin: UInt32
    /// Whether to skip and edit records alone, and not whole steps with their undos, and whole dispatches.
    public var recordsOnly: Bool
    /// Whether to keep the results of commands that the altered history does not request.
    public var keepsResults: Bool

    public init(
        _ edits: [Edit<App.Action>], at: Point = .now, origin: UInt32 = 0, recordsOnly: Bool = false, keepsResults: Bool = false
    ) {
        self.edits = edits
        self.at = at
        self.origin = origin
        self.recordsOnly = recordsOnly
        self.keepsResults = keepsResults
    }
}

/// An edit of history.
public enum Edit<Action: Sendable>: Sendable {
    /// Removes the records.
    case skip(ClosedRange<UInt64>)
    /// Replaces the record's action. It is prepared again, with the origin and the time of the record.
    case edit(UInt64, Action)
    /// Inserts an action after the record, at the time of the record. 0 is before the first record.
    ///
    /// Insertions after the same record keep their order.
    case insert(after: UInt64, Action)
}
