public import Expressions

/// Which records of the log are wanted, and how they are shown.
public struct LogQuery: Sendable {
    /// The order of the entries.
    public enum Order: Sendable {
        /// Oldest first.
        case forward
        /// Newest first.
        case reverse
    }

    /// The first moment whose record is wanted; the record of a sequence is the one that led to it.
    public var from: Point?
    public var to: Point?
    /// No more entries than these.
    public var limit: Int
    /// Only actions of this feature.
    public var feature: String?
    /// Only actions of one of these names, with or without their feature: `add`, `todos.add`; empty: of any.
    public var actions: [String]
    /// Only records that this uid asked for.
    public var origin: UInt32?
    /// Only actions with this text in one of their texts; capitals A to Z count as small letters.
    public var search: String?
    /// Only records for which this condition on a record holds.
    public var condition: Expression?
    /// Only records that changed what stands at this place or below it.
    public var path: Path?
    /// The order of the entries.
    public var order: Order
    /// Whether each entry tells what it changed.
    public var showsChanges: Bool
    /// Whether records of typing that follow each other are one entry.
    public var groupsTyping: Bool

    /// Whether a page takes more than to read it: all that is passed over is looked through, or records are folded.
    var isLong: Bool {
        feature != nil || !actions.isEmpty || origin != nil || search != nil || condition != nil || path != nil || showsChanges
            || groupsTyping
    }

    /// Entries of a page.
    var entriesMax: Int { showsChanges ? HistoryLimits.pageChangedRecordsMax : HistoryLimits.pageRecordsMax }

    /// Makes a query; left out, everything is wanted.
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
