import Expressions
import Reducing

/// Decides which records a query wants.
struct LogFilter: Sendable {
    private let query: LogQuery
    private let search: SubstringSearch

    init(_ query: LogQuery) {
        self.query = query
        search = SubstringSearch(query.search ?? "")
    }

    /// Whether the name or the texts of an action matter.
    var looksAtActions: Bool { query.feature != nil || query.action != nil || !search.isEmpty }

    /// Whether a record may be wanted, by what costs little.
    func mayContain(origin: UInt32, payload: RawSpan) -> Bool {
        if let wanted = query.origin, wanted != origin { return false }
        // Texts stand in the payload as they are.
        return search.matches(payload)
    }

    /// Whether an action is wanted.
    func contains(_ value: Value, name: String) -> Bool {
        let parts = name.split(separator: ".", maxSplits: 1).map(String.init)
        if let feature = query.feature, parts.first?.hasSameBytes(as: feature) != true { return false }
        if let action = query.action, !name.hasSameBytes(as: action), parts.last?.hasSameBytes(as: action) != true {
            return false
        }
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
