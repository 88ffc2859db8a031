public import Expressions

/// Selects log records and how to show them.
public struct LogQuery: Sendable {
    /// The order of the entries.
    public enum Order: Sendable {
        /// Oldest first.
        case forward
        /// Newest first.
        case reverse
    }

    /// The first point whose record is included; the record of a sequence is the one that led to it.
    public var from: Point?
    public var to: Point?
    /// Maximum number of entries.
    public var limit: Int
    /// Only actions of this feature.
    public var feature: String?
    /// Only actions of these names, with or without their feature: `add`, `todos.add`; empty: any.
    public var actions: [String]
    /// Only records that this uid requested.
    public var origin: UInt32?
    /// Only actions that contain this text, ignoring ASCII case.
    public var search: String?
    /// Only records that meet this condition.
    public var condition: Expression?
    /// Only records that changed this path or below it.
    public var path: Path?
    /// The order of the entries.
    public var order: Order
    /// Whether entries include changes.
    public var showsChanges: Bool
    /// Whether consecutive edits are one entry.
    public var groupsTyping: Bool

    /// Whether a page costs more than reading: it searches, or folds records.
    var isLong: Bool {
        feature != nil || !actions.isEmpty || origin != nil || search != nil || condition != nil || path != nil || showsChanges
            || groupsTyping
    }

    var entriesMax: Int { showsChanges ? HistoryLimits.pageChangedRecordsMax : HistoryLimits.pageRecordsMax }

    /// Creates a query; by default, it selects everything.
    public init(
        from: Point? = nil, to: Point? = nil, limit: Int = .max, feature: String? = nil, actions: [String] = [],
        origin: UInt32? = nil, search: String? = nil, condition: Expression? = nil, path: Path? = nil, order: Order = .forward,
        showsChanges: Bool = false,
        groupsTyping: Bool = true
    ) {
        self.from = from
        self.to = to
        self.limit = limit
        self.feature = feature
        self.actions = actions
        self.origin = origin
        self.search = search
        self.condition = condition
        self.path = path
        self.order = order
        self.showsChanges = showsChanges
        self.groupsTyping = groupsTyping
    }
}
