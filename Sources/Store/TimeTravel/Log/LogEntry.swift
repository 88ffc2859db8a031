public import Chronicle
import ChronicleLog
public import ChronicleStore

/// A log record, or an edit run shown as one.
public struct LogEntry<App: Feature>: Sendable {
    /// The sequence of the first record.
    public var first: UInt64
    /// The last record; its action is the result of the run.
    public var record: LoggedRecord<App>
    /// The feature and name of the action: `todos.add`; `nil` for records without one.
    public var name: String?
    /// The changes, if requested; `nil` also for more than `HistoryLimits.changesMax`.
    public var changes: [Change]?

    /// The sequence of the last record.
    public var last: UInt64 { record.header.sequence }
    /// Whether it is an edit, so that more of them may join.
    public var isTyping: Bool { record.action.map(App.kind) == .edit }
    /// Number of records.
    public var count: UInt64 { last - first + 1 }
}
