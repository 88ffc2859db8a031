public import ActionLogs
public import Reducing

/// A record as a reader sees it: its header, and its action where it holds one.
public struct LoggedRecord<App: Feature>: Sendable {
    /// Everything but the payload.
    public var header: RecordHeader
    /// The action, in records that hold one.
    public var action: App.Action?

    /// Makes a record.
    public init(header: RecordHeader, action: App.Action?) {
        self.header = header
        self.action = action
    }

    /// Whether it belongs to a scope; a record without an action belongs to none.
    func belongs(to scope: Int?) -> Bool {
        guard let scope else { return true }
        guard let action else { return false }
        return App.scopes(of: action).contains(ScopeSet(index: scope))
    }
}
