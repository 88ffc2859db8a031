import Records
public import Reducing
public import StoreRuntime

/// A record of the log, or a run of typing that is shown as one.
public struct LogEntry<App: Feature>: Sendable {
    /// The sequence of the first record.
    public var first: UInt64
    /// The last record; its action is what the run came to.
    public var record: LoggedRecord<App>
    /// The feature and the name of the action: `todos.add`; `nil` in records that hold none.
    public var name: String?
    /// What all of it changed, if that was asked for; `nil` also when it is more than `HistoryLimits.changesMax` changes.
    public var changes: [Change]?

    /// The sequence of the last record.
    public var last: UInt64 { record.header.sequence }
    /// Whether it is typing, which more of it may join.
    public var isTyping: Bool { record.action.map(App.nature) == .typing }
    /// How many records it stands for.
    public var count: UInt64 { last - first + 1 }
}
