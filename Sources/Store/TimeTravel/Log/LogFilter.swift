import Expressions
import Records
import Reducing
import Values

/// Decides which records a query wants.
struct LogFilter: Sendable {
    private let query: LogQuery
    private let search: SubstringSearch
    // The parts of the condition that no state is needed for, those first that ask for nothing of the action.
    private let ofHeader: [Expression]
    private let ofAction: [Expression]
    /// What the other parts of the condition read; `nil`: there are none.
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

    /// Whether states tell which records are wanted.
    var looksAtStates: Bool { query.path != nil || reads != nil }

    /// Whether the name or the texts of an action matter.
    private var looksAtActions: Bool { looksForActions || !ofAction.isEmpty }

    // Whether a record without an action is wanted by nobody.
    private var looksForActions: Bool { query.feature != nil || !query.actions.isEmpty || !search.isEmpty }

    /// Whether a record may be wanted, by its header.
    func mayContain(_ facts: RecordFacts) -> Bool {
        if let wanted = query.origin, wanted != facts.uid { return false }
        return ofHeader.allSatisfy { $0.holds(facts) }
    }

    /// Whether a record may be wanted, by its bytes: texts stand in the payload as they are.
    func mayContain(_ payload: RawSpan) -> Bool { search.matches(payload) }

    /// Whether a record is wanted, as far as its header and its action tell; the latter is asked for only if it matters.
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
    /// The name of an action, `todos.add`, in the value of a root feature's action.
    var actionName: String {
        guard case .record(let features) = self, let feature = features.first else { return "" }
        guard case .record(let actions) = feature.value, actions.count == 1, let action = actions.first else {
            return feature.name
        }
        return feature.name + "." + action.name
    }
}

extension Expression {
    /// Whether it holds for a record, if it asks for nothing of the states.
    fileprivate func holds(_ facts: RecordFacts) -> Bool {
        holds(in: ValueReader(.null), facts: facts)
    }
}

extension Reads {
    /// Adds what another expression reads.
    fileprivate mutating func form(union other: Reads) {
        paths += other.paths
        oldPaths += other.oldPaths
        facts.formUnion(other.facts)
    }
}

extension RecordFacts {
    /// What a record says of itself but for its action, which has to be read for that.
    init(_ header: HeaderFields) {
        self.init(
            sequence: header.sequence, uid: header.origin, time: header.time, step: header.step, kind: header.kind.name)
    }

    /// The same of a whole header.
    init(_ header: RecordHeader) {
        self.init(
            sequence: header.sequence, uid: header.origin, time: header.time, step: header.step, kind: header.kind.name)
    }
}
