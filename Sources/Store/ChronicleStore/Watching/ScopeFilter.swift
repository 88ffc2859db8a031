public import Chronicle

/// Selects the part of a root feature's value that belongs to one scope, such as `todos` or `todos.items`.
struct ScopeFilter: Sendable {
    private let parts: [Substring]

    init(_ name: String?) { parts = name.map { $0.split(separator: ".") } ?? [] }

    func pick(from summary: Value) -> Value { pick(parts[...], from: summary) }

    private func pick(_ rest: ArraySlice<Substring>, from value: Value) -> Value {
        guard let name = rest.first, case .record(let fields) = value else { return value }
        return .record(
            fields.filter { $0.name.hasSameBytes(as: String(name)) }.map {
                Value.Field($0.name, pick(rest.dropFirst(), from: $0.value))
            })
    }

    func contains(_ list: ListView) -> Bool { list.path.split(separator: ".").starts(with: parts) }

    func contains(_ change: Change) -> Bool {
        var path = change.path.split(separator: ".")
        if change.kind == .set, case .record(let fields)? = change.new ?? change.old, let field = fields.first {
            path.append(Substring(field.name))
        }
        return path.starts(with: parts)
    }
}

extension ListView {
    /// Elements of the list in their place from the root: `{"todos": {"items": [...]}}`.
    public func placed(_ elements: [Value]) -> Value {
        path.split(separator: ".").reversed().reduce(Value.list(elements)) { inner, name in
            .record([Value.Field(String(name), inner)])
        }
    }
}

extension Value {
    /// Approximate bytes as JSON; numbers count slightly more.
    public var approximateBytes: Int {
        switch self {
        case .null, .bool: return 5
        case .int(let number): return JSON.bytesMax(of: number)
        case .double: return 24
        case .text(let text): return JSON.byteCount(of: text)
        case .list(let elements):
            // A span borrows the elements: a copy of each would be retained and released.
            let span = elements.span
            var bytes = 2 + span.count
            for index in span.indices { bytes += span[index].approximateBytes }
            return bytes
        case .record(let fields):
            let span = fields.span
            var bytes = 2 + 2 * span.count
            for index in span.indices { bytes += JSON.byteCount(of: span[index].name) + span[index].value.approximateBytes }
            return bytes
        }
    }
}

extension Change {
    /// Approximate bytes as JSON.
    public var approximateBytes: Int { 64 + path.utf8.count + (old?.approximateBytes ?? 0) + (new?.approximateBytes ?? 0) }
}

extension [Change] {
    var isBounded: Bool {
        var bytes = 0
        return allSatisfy { change in
            bytes += change.approximateBytes
            return bytes <= Limits.changesBytesMax
        }
    }
}
