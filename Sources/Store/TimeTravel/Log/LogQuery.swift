import Chronicle
import ChronicleLog
import ChronicleStore
public import Expressions

/// Selects log records and how to show them.
public struct LogQuery: Sendable {
    public enum Order: Sendable {
        case forward
        case reverse
    }

    /// The first point whose record is included; the record of a sequence is the one that led to it.
    public var from: Point?
    public var to: Point?
    public var limit: Int
    public var feature: String?
    /// Only actions of these names, with or without their feature: `add`, `todos.add`; empty: any.
    public var actions: [String]
    public var origin: UInt32?
    /// Only actions that contain this text, ignoring ASCII case.
    public var search: String?
    public var condition: Expression?
    /// Only records that changed this path or below it.
    public var path: Path?
    public var order: Order
    public var showsChanges: Bool
    /// Whether consecutive edits are one entry.
    public var groupsTyping: Bool

    /// Whether a page costs more than reading: it searches, or folds records.
    var isLong: Bool {
        feature != nil || !actions.isEmpty || origin != nil || search != nil || condition != nil || path != nil || showsChanges
            || groupsTyping
    }

    var entriesMax: Int { showsChanges ? HistoryLimits.pageChangedRecordsMax : Limits.pageRecordsMax }

    public init(
        from: Point? = nil, to: Point? = nil, limit: Int = .max, feature: String? = nil, actions: [String] = [],
        origin: UInt32? = nil, search: String? = nil, condition: Expression? = nil, path: Path? = nil, order: Order = .forward,
        showsChanges: Bool = false, groupsTyping: Bool = true
    ) {
        (self.from, self.to, self.limit, self.feature, self.actions) = (from, to, limit, feature, actions)
        (self.origin, self.search, self.condition, self.path) = (origin, search, condition, path)
        (self.order, self.showsChanges, self.groupsTyping) = (order, showsChanges, groupsTyping)
    }
}

extension LogQuery {
    /// The action names of the query that don't exist, or all of them if none of its feature's names exists.
    /// - Parameter names: the names of all actions with their features: `todos.add`.
    public func unknownActions(among names: [String]) -> [String] {
        if actions.isEmpty { return [] }
        if let feature, actions.allSatisfy({ $0.isAction(notOf: feature) }) { return actions }
        var known: Set<ExactText> = []
        for name in names {
            known.insert(ExactText(name))
            let parts = name.split(separator: ".", maxSplits: 1).map(String.init)
            if let feature, parts.first?.hasSameBytes(as: feature) != true { continue }
            known.formUnion(parts.dropFirst().map(ExactText.init))
        }
        return actions.filter { !known.contains(ExactText($0)) }
    }
}

extension String {
    /// Whether it is a full action name of another feature.
    fileprivate func isAction(notOf feature: String) -> Bool {
        let parts = split(separator: ".", maxSplits: 1)
        return parts.count == 2 && !String(parts[0]).hasSameBytes(as: feature)
    }
}

struct LogFilter: Sendable {
    private let query: LogQuery
    private let search: SubstringSearch
    // The parts of the condition that need no state; those that need no action first.
    private let ofHeader: [Expression]
    private let ofAction: [Expression]
    /// Inputs of the other parts; `nil`: no other parts.
    let reads: Reads?

    init(_ query: LogQuery) {
        self.query = query
        search = SubstringSearch(query.search ?? "")
        let parts = query.condition?.conjuncts ?? []
        ofHeader = parts.filter { $0.reads.isOfRecordAlone && !$0.reads.facts.contains(.action) }
        ofAction = parts.filter { $0.reads.isOfRecordAlone && $0.reads.facts.contains(.action) }
        let rest = parts.filter { !$0.reads.isOfRecordAlone }.map(\.reads)
        reads = rest.isEmpty ? nil : rest.reduce(into: Reads()) { $0.form(union: $1) }
    }

    var looksAtStates: Bool { query.path != nil || reads != nil }

    private var looksAtActions: Bool { looksForActions || !ofAction.isEmpty }

    // Whether a record without an action never matches.
    private var looksForActions: Bool { query.feature != nil || !query.actions.isEmpty || !search.isEmpty }

    func mayContain(_ facts: RecordFacts) -> Bool {
        if let wanted = query.origin, wanted != facts.uid { return false }
        return ofHeader.allSatisfy { $0.holds(facts) }
    }

    /// Prefilter by bytes: the payload contains texts as they are.
    func mayContain(_ payload: RawSpan) -> Bool { search.matches(payload) }

    func contains(_ facts: RecordFacts, action: () -> Value?) -> Bool {
        guard looksAtActions else { return true }
        let action = action()
        guard action.map(isWanted) ?? !looksForActions else { return false }
        var facts = facts
        facts.action = action?.actionName
        return ofAction.allSatisfy { $0.holds(facts) }
    }

    private func isWanted(_ value: Value) -> Bool {
        let name = value.actionName
        let parts = name.split(separator: ".", maxSplits: 1).map(String.init)
        if let feature = query.feature, parts.first?.hasSameBytes(as: feature) != true { return false }
        let isNamed = query.actions.contains { name.hasSameBytes(as: $0) || parts.last?.hasSameBytes(as: $0) == true }
        guard isNamed || query.actions.isEmpty else { return false }
        return search.isEmpty || isFound(in: value)
    }

    private func isFound(in value: Value) -> Bool {
        switch value {
        case .text(let text): search.matches(text.utf8Span.span.bytes)
        case .list(let elements): elements.contains(where: isFound(in:))
        case .record(let fields): fields.contains { isFound(in: $0.value) }
        case .null, .bool, .int, .double: false
        }
    }
}

extension Value {
    /// The full name of a root feature's action, `todos.add`, from its value.
    var actionName: String {
        guard case .record(let features) = self, let feature = features.first else { return "" }
        guard case .record(let actions) = feature.value, actions.count == 1, let action = actions.first else {
            return feature.name
        }
        return feature.name + "." + action.name
    }
}

extension Expression {
    fileprivate func holds(_ facts: RecordFacts) -> Bool { holds(in: ValueReader(.null), facts: facts) }
}

extension Reads {
    fileprivate mutating func form(union other: Reads) {
        paths += other.paths
        oldPaths += other.oldPaths
        facts.formUnion(other.facts)
    }
}

extension RecordFacts {
    /// The facts of a record except its action, which must be read separately.
    init(_ header: HeaderFields) {
        self.init(
            sequence: header.sequence, uid: header.origin, time: header.time, step: header.step, kind: header.kind.name)
    }

    init(_ header: RecordHeader) {
        self.init(
            sequence: header.sequence, uid: header.origin, time: header.time, step: header.step, kind: header.kind.name)
    }
}
