public import Records
public import Reducing

/// The answer to "what if": what an altered history comes to, beside the one that was.
///
/// Nothing of it was done.
public struct Alternative<App: Feature>: Sendable {
    /// The last moment that both histories share.
    public var from: UInt64
    /// The moment whose states are compared.
    public var to: UInt64
    /// The state that the altered history comes to.
    public var state: App.State
    /// What leads from the state that was to that one.
    public var changes: [Change] = []
    /// What became of the records that were altered, in the order of the fold, up to `HistoryLimits.answersMax`.
    public var events: [Event] = []
    /// The commands of the log that the altered history would not have run, up to `HistoryLimits.answersMax`.
    public var notRun: [Missing] = []
    /// The commands that it would have run and the log did not, up to `HistoryLimits.answersMax`.
    public var wouldRun: [Asked] = []
    /// How many records there were of each sort, listed or not.
    public var skippedCount: UInt64 = 0
    /// How many records fell away because nothing asked for the command that brought them.
    public var vanishedCount: UInt64 = 0
    /// Whether one of the lists is not whole.
    public var isCut = false

    /// Something that the altered history has otherwise than the log.
    public struct Event: Sendable {
        public var place: Place
        public var kind: Kind
        /// The actions that were folded there, as `prepare` left them; none for what was left out.
        public var actions: [App.Action] = []

        public enum Kind: String, Sendable {
            /// It was skipped, by itself or with its step.
            case skipped
            /// It fell away with the command that brought it.
            case vanished
            /// It brought something else.
            case edited
            /// It is not in the log.
            case inserted
            /// An edited record of the same batch stands for it, or the record before it, where what it takes back is computed anew.
            case replaced
            /// It takes back something that is different, and what that comes to was computed anew.
            case anew
            /// It takes back something that is different, and what that comes to can't be computed: it is as it was logged.
            case outdated
            /// It is not in the log: a command told of its end, because another one took its place or took it back.
            case ended
        }
    }

    /// A command of the log that the altered history would not have run.
    public struct Missing: Sendable, Equatable {
        public var id: CommandID
        /// What the log asked for.
        public var call: CommandCall
        /// Why it would not have run.
        public var reason: Reason
        /// How it ended in the log, up to `to`.
        public var outcome: CommandOutcome?

        public enum Reason: String, Sendable {
            /// Nothing asks for it.
            case notAsked
            /// It would have been taken back, or another one would have taken its place.
            case displaced
        }
    }

    /// A command that the log did not run.
    public struct Asked: Sendable {
        /// The record that asks for it.
        public var place: Place
        /// Which one of its commands it is, from 0.
        public var index: Int
        public var command: App.Command
        /// Why it would run.
        public var reason: Reason

        public enum Reason: String, Sendable {
            /// The log has nothing that asks for it there.
            case asked
            /// The log has it, and something that took it back or took its place, which the altered history does not have.
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
