import Reducing

/// Decides which records a query wants.
struct LogFilter: Sendable {
    private let query: LogQuery
    private let needle: Needle

    init(_ query: LogQuery) {
        self.query = query
        needle = Needle(query.search ?? "")
    }

    /// Whether the name or the texts of an action matter.
    var looksAtActions: Bool { query.feature != nil || query.action != nil || !needle.isEmpty }

    /// Whether a record may be wanted, by what costs little.
    func mayContain(origin: UInt32, payload: RawSpan) -> Bool {
        if let wanted = query.origin, wanted != origin { return false }
        // Texts stand in the payload as they are.
        return needle.isIn(payload)
    }

    /// Whether an action is wanted.
    func contains(_ value: Value, name: String) -> Bool {
        let parts = name.split(separator: ".", maxSplits: 1).map(String.init)
        if let feature = query.feature, parts.first?.hasSameBytes(as: feature) != true { return false }
        if let action = query.action, !name.hasSameBytes(as: action), parts.last?.hasSameBytes(as: action) != true {
            return false
        }
        return needle.isEmpty || hasNeedle(value)
    }

    private func hasNeedle(_ value: Value) -> Bool {
        switch value {
        case .text(let text): needle.isIn(text.utf8Span.span.bytes)
        case .list(let elements): elements.contains(where: hasNeedle)
        case .record(let fields): fields.contains { hasNeedle($0.value) }
        case .null, .bool, .int: false
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
