public import Records

/// The subscriptions of a log, by name.
struct Subscriptions: Sendable, Equatable {
    private var rows: [ExactText: SubscriptionRow] = [:]
    private var damaged: Set<ExactText>
    /// Whether they differ from those on disk.
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

    /// How many there are of one uid.
    func count(of owner: UInt32) -> Int { rows.values.count { $0.owner == owner } }

    /// Whether there is one of a name of which nothing else is known.
    func isDamaged(_ name: String) -> Bool { damaged.contains(ExactText(name)) }

    /// The names of those of which nothing else is known.
    var damagedNames: [String] { damaged.map(\.text) }

    /// All of them, by the bytes of their names.
    var all: [SubscriptionRow] { rows.values.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) } }
}

/// What somebody wants done about a subscription.
public enum SubscriptionOrder: Sendable {
    /// Makes one, or changes what it wants; `position`, which is in the log, is put in the place of what was acknowledged.
    case set(String, RecordFilter, position: UInt64?)
    /// Takes it away.
    case remove(String)
    /// Everything up to a record of an epoch is done.
    case acknowledge(String, through: UInt64, epoch: UInt64?)

    /// The name of the subscription.
    public var name: String {
        switch self {
        case .set(let name, _, _), .remove(let name), .acknowledge(let name, _, _): name
        }
    }
}
