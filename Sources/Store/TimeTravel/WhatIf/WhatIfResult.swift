public import Chronicle
public import ChronicleLog

/// A what-if query: the edits of history, and the end of the replay.
public struct WhatIfQuery<App: Feature>: Sendable {
    public var edits: [Edit<App.Action>]
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
        (self.edits, self.at, self.origin) = (edits, at, origin)
        (self.recordsOnly, self.keepsResults) = (recordsOnly, keepsResults)
    }
}

/// An edit of history.
public enum Edit<Action: Sendable>: Sendable {
    case skip(ClosedRange<UInt64>)
    /// Replaces the record's action. It is prepared again, with the origin and the time of the record.
    case edit(UInt64, Action)
    /// Inserts an action after the record, at the time of the record. 0 is before the first record.
    ///
    /// Insertions after the same record keep their order.
    case insert(after: UInt64, Action)
}

/// The result of a what-if query: the altered history, compared with the real one; nothing is committed.
public struct WhatIfResult<App: Feature>: Sendable {
    /// The last sequence that both histories share.
    public var from: UInt64
    /// The sequence whose states are compared.
    public var to: UInt64
    /// The final state of the altered history.
    public var state: App.State
    /// The diff from the real state to the altered one.
    public var changes: [Change] = []
    /// The differences in records, in fold order, up to `HistoryLimits.answersMax`.
    public var events: [Event] = []
    /// Commands of the log that the altered history would not have run, up to `HistoryLimits.answersMax`.
    public var notRun: [CommandDifference] = []
    /// Commands that only the altered history would have run, up to `HistoryLimits.answersMax`.
    public var wouldRun: [CommandDifference] = []
    /// The number of skipped records, listed or not.
    public var skippedCount: UInt64 = 0
    /// The number of records that vanished because nothing requested the command that produced them.
    public var vanishedCount: UInt64 = 0
    /// Whether one of the lists is incomplete.
    public var isCut = false

    /// A position in an altered history: a record of the log, or an insertion after it.
    public struct Place: Sendable, Equatable, CustomStringConvertible {
        public var sequence: UInt64
        /// 0 for the record itself, otherwise the index of the insertion, from 1.
        public var insertion = 0

        public var description: String { insertion == 0 ? "\(sequence)" : "\(sequence).\(insertion)" }
    }

    /// A difference between the altered history and the log.
    public struct Event: Sendable {
        public var place: Place
        public var kind: Kind
        /// The folded actions, after `prepare`; empty for a record that was left out.
        public var actions: [App.Action] = []

        public enum Kind: String, Sendable {
            case skipped
            /// Removed together with the command that produced it.
            case vanished
            case edited
            /// Inserted: it is not in the log.
            case inserted
            /// Covered by an edited record of the same batch, or by the previous record of a recomputed undo.
            case replaced
            /// An undo whose target differs; it was recomputed.
            case anew
            /// An undo whose target differs and that can't be recomputed: it stays as logged.
            case outdated
            /// The end of a command, not in the log: another command displaced it or an undo cancelled it.
            case ended
        }
    }

    /// A command that only one of the two histories runs.
    public struct CommandDifference: Sendable, Equatable {
        public var place: Place
        /// The index among its commands, from 0.
        public var index: Int
        public var call: CommandCall
        public var reason: Reason
        /// How it ended in the log, up to `to`; `nil` if the log does not run it.
        public var outcome: CommandOutcome?

        public var id: CommandID { CommandID(sequence: place.sequence, index: UInt32(index)) }

        public enum Reason: String, Sendable {
            /// Only the log requests it.
            case notAsked
            /// The altered history would have undone it or displaced it by another command.
            case displaced
            /// Only the altered history requests it.
            case asked
            /// Both request it, but only in the log it was displaced or undone.
            case notDisplaced
        }
    }

    mutating func note<Element>(_ element: Element, in list: WritableKeyPath<Self, [Element]>) {
        if self[keyPath: list].count < HistoryLimits.answersMax { self[keyPath: list].append(element) } else { isCut = true }
    }
}
