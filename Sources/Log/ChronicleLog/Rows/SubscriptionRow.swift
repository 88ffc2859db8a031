public import ChronicleValues

/// Which records somebody wants; all that is said must fit.
public struct RecordFilter: Sendable, Equatable {
    /// Only actions of this feature.
    public var feature: String?
    /// Only actions of one of these names, with or without their feature; empty: of any.
    public var actions: [String]
    /// Only what this uid asked for.
    public var origin: UInt32?
    /// Only records for which this condition on a record holds, at most `conditionBytesMax` bytes.
    public var condition: String?

    /// UTF-8 bytes of a condition.
    public static let conditionBytesMax = 512

    /// Makes a filter; left out, everything is wanted.
    public init(feature: String? = nil, actions: [String] = [], origin: UInt32? = nil, condition: String? = nil) {
        self.feature = feature
        self.actions = actions
        self.origin = origin
        self.condition = condition
    }

    /// Whether everything is wanted.
    public var isEmpty: Bool { self == RecordFilter() }
}

/// A subscription, and how far it was acknowledged: kept beside the records, and no record itself.
public struct SubscriptionRow: Sendable, Equatable {
    /// The name; it is the row's key, and not stored in the row again.
    public var name: String
    /// Up to this record everything is acknowledged.
    public var position: UInt64
    /// The uid whose it is.
    public var owner: UInt32
    /// Which records it wants.
    public var filter: RecordFilter

    /// UTF-8 bytes of a name.
    public static let nameBytesMax = 64

    public init(name: String, position: UInt64, owner: UInt32, filter: RecordFilter = RecordFilter()) {
        self.name = name
        self.position = position
        self.owner = owner
        self.filter = filter
    }
}

extension SubscriptionRow: CanonicalCodable {
    /// Writes all but the name.
    public func encode(into writer: inout CanonicalWriter) {
        writer.field(1, position)
        writer.field(2, UInt64(owner))
        writer.field(3, filter.feature ?? "")
        for action in filter.actions { writer.element(4, action) }
        // 0 is the uid of root.
        writer.field(5, filter.origin.map { UInt64($0) + 1 } ?? 0)
        writer.field(6, filter.condition ?? "")
    }

    /// Reads all but the name, which whoever knows the key puts in.
    public init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        self.init(name: "", position: 0, owner: 0)
        while let number = try cursor.nextField(in: bytes) {
            switch number {
            case 1: position = try cursor.uint(bytes)
            case 2: owner = try cursor.uint32(bytes)
            case 3: filter.feature = try cursor.text(bytes)
            case 4: filter.actions.append(try cursor.textElement(bytes))
            case 5:
                let start = cursor.offset
                guard let origin = UInt32(exactly: try cursor.uint(bytes) &- 1) else {
                    throw CanonicalError(.notCanonical, at: start)
                }
                filter.origin = origin
            case 6: filter.condition = try cursor.text(bytes)
            default: throw cursor.unknown()
            }
        }
    }
}

/// The subscriptions of a log, by name, and those of which nothing but the name is known.
public struct StoredSubscriptions: Sendable, Equatable {
    /// Those whose rows are as they were written.
    public var rows: [SubscriptionRow] = []
    /// The names of those whose rows are not.
    public var damaged: [String] = []
    /// The last record of the log when they were read.
    public var last: UInt64 = 0

    public init() {}

    /// Adds the row of a key.
    package mutating func add(_ name: String, key: RawSpan, _ value: RawSpan) throws(ActionLogError) {
        do throws(ActionLogError) { rows.append(try SubscriptionRow(named: name, key: key, value)) } catch {
            guard case .damaged = error else { throw error }
            damaged.append(name)
        }
    }
}

extension SubscriptionRow {
    /// Reads a row as it is stored under its key.
    package init(named name: String, key: RawSpan, _ value: RawSpan) throws(ActionLogError) {
        self = try Row.open(value, key: key, as: SubscriptionRow.self, sequence: 0, of: "the row of the subscription \(name)")
        self.name = name
    }
}
