public import Chronicle
public import ChronicleLog

/// The result of a what-if query: the altered history, compared with the real one; nothing is committed.
public struct Alternative<App: Feature>: Sendable {
    /// The last sequence that both histories share.
    public var from: UInt64
    /// The sequence whose states are compared.
    public var to: UInt64
    public var state: App.State
    /// The diff from the real state to the altered one.
    public var changes: [Change] = []
    /// The differences in records, in fold order, up to `HistoryLimits.answersMax`.
    public var events: [Event] = []
    /// Commands of the log that the altered history would not have run, up to `HistoryLimits.answersMax`.
    public var notRun: [Missing] = []
    /// Commands that only the altered history would have run, up to `HistoryLimits.answersMax`.
    public var wouldRun: [Asked] = []
    /// The number of skipped records, listed or not.
    public var skippedCount: UInt64 = 0
    /// The number of records that vanished because nothing requested the command that produced them.
    public var vanishedCount: UInt64 = 0
    /// Whether one of the lists is incomplete.
    public var isCut = false

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

    public struct Missing: Sendable, Equatable {
        public var id: CommandID
        public var call: CommandCall
        public var reason: Reason
        /// How it ended in the log, up to `to`.
        public var outcome: CommandOutcome?

        public enum Reason: String, Sendable {
            case notAsked
            /// It would have been undone or displaced by another command.
            case displaced
        }
    }

    public struct Asked: Sendable {
        /// The record that requests it.
        public var place: Place
        /// The index among its commands, from 0.
        public var index: Int
        public var command: App.Command
        public var reason: Reason

        public enum Reason: String, Sendable {
            /// The log has no such request there.
            case asked
            /// The log has it, but displaced or undid it there, which the altered history does not.
            case notDisplaced
        }
    }
}

extension Alternative {
    mutating func note(_ event: Event) {
        if events.count < HistoryLimits.answersMax { events.append(event) } else { isCut = true }
    }

    mutating func note(_ missing: Missing) {
        if notRun.count < HistoryLimits.answersMax { notRun.append(missing) } else { isCut = true }
    }

    mutating func note(_ asked: Asked) {
        if wouldRun.count < HistoryLimits.answersMax { wouldRun.append(asked) } else { isCut = true }
    }
}
