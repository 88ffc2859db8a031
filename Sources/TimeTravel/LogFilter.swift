import Reducing

/// Decides which records a query wants.
struct LogFilter: Sendable {
    private let query: LogQuery
    private let needle: [UInt8]

    init(_ query: LogQuery) {
        self.query = query
        needle = Self.needle(query.search ?? "")
    }

    /// Whether the name or the texts of an action matter.
    var looksAtActions: Bool { query.feature != nil || query.action != nil || !needle.isEmpty }

    /// Whether a record may be wanted, by what costs little.
    func mayContain(origin: UInt32, payload: RawSpan) -> Bool {
        if let wanted = query.origin, wanted != origin { return false }
        // Texts stand in the payload as they are.
        return needle.isEmpty || Self.contains(payload, needle)
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
        case .text(let text): Self.contains(text.utf8Span.span.bytes, needle)
        case .list(let elements): elements.contains(where: hasNeedle)
        case .record(let fields): fields.contains { hasNeedle($0.value) }
        case .null, .bool, .int: false
        }
    }

    /// What is looked for to find a text.
    static func needle(_ text: String) -> [UInt8] { text.utf8.map(small) }

    /// Whether a needle stands somewhere in bytes.
    static func contains(_ bytes: RawSpan, _ needle: [UInt8]) -> Bool {
        guard let first = needle.first, needle.count <= bytes.byteCount else { return false }
        for start in 0...bytes.byteCount - needle.count where small(byte(bytes, start)) == first {
            if (1..<needle.count).allSatisfy({ small(byte(bytes, start + $0)) == needle[$0] }) { return true }
        }
        return false
    }

    private static func byte(_ bytes: RawSpan, _ index: Int) -> UInt8 { bytes.unsafeLoad(fromByteOffset: index, as: UInt8.self) }

    private static func small(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
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
