import Chronicle
import ChronicleLog
import Expressions

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

    /// Prefilter by header.
    func mayContain(_ facts: RecordFacts) -> Bool {
        if let wanted = query.origin, wanted != facts.uid { return false }
        return ofHeader.allSatisfy { $0.holds(facts) }
    }

    /// Prefilter by bytes: the payload contains texts as they are.
    func mayContain(_ payload: RawSpan) -> Bool { search.matches(payload) }

    /// Whether a record matches by its header and, if needed, its action.
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
