public import ChronicleLog

/// The subscriptions of a log, by name.
struct Subscriptions: Sendable, Equatable {
    private var rows: [ExactText: SubscriptionRow] = [:]
    private var damaged: Set<ExactText>
    var isChanged = false

    init(_ stored: StoredSubscriptions) {
        damaged = Set(stored.damaged.map { ExactText($0) })
        for row in stored.rows { rows[ExactText(row.name)] = row }
    }

    subscript(name: String) -> SubscriptionRow? {
        get { rows[ExactText(name)] }
        set {
            rows[ExactText(name)] = newValue
            damaged.remove(ExactText(name))
            isChanged = true
        }
    }

    var count: Int { rows.count + damaged.count }

    func count(of owner: UInt32) -> Int { rows.values.count { $0.owner == owner } }

    /// Whether only the name of a damaged subscription is known.
    func isDamaged(_ name: String) -> Bool { damaged.contains(ExactText(name)) }

    var damagedNames: [String] { damaged.map(\.text) }

    /// All subscriptions, by the bytes of their names.
    var all: [SubscriptionRow] { rows.values.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) } }
}

/// An operation on a subscription.
public enum SubscriptionOrder: Sendable {
    /// Creates a subscription or changes its filter; a `position`, which must be in the log, replaces the acknowledged one.
    case set(String, RecordFilter, position: UInt64?)
    /// Removes it.
    case remove(String)
    /// Acknowledges everything up to a record of an epoch.
    case acknowledge(String, through: UInt64, epoch: UInt64?)

    /// The name of the subscription.
    public var name: String {
        switch self {
        case .set(let name, _, _), .remove(let name), .acknowledge(let name, _, _): name
        }
    }
}
