public enum RedactedTexts: Sendable {
    case all
    /// The texts for which the closure returns `true`.
    case those(@Sendable (String) -> Bool)
    /// The texts of the elements of a feature that have an id.
    case row(feature: String, id: Int64)
}

extension ValueConvertible where Self: Equatable {
    /// This value without its texts; ids and the number of elements stay.
    /// - Parameters:
    ///   - names: fields that stay, because they identify the subject of the action.
    ///   - labelled: fields whose texts have a label before a colon, as `due:2026-12-01` does, with the labels that occur alone. Labels
    ///     stay.
    /// - Returns: `nil` if there is no text to redact.
    public func redacted(
        keeping names: Set<String>, labelled: [String: Set<String>] = [:], _ texts: RedactedTexts = .all
    ) -> Self? {
        var fields = RedactedFields(kept: names, labelled: labelled)
        // A text in a required form stays; the mismatch names its field.
        for _ in 0..<32 {
            do throws(ValueMismatch) {
                let redacted = try Self(value.redacted(fields, texts))
                return redacted == self ? nil : redacted
            } catch {
                guard fields.kept.insert(error.lastName).inserted else { return nil }
            }
        }
        return nil
    }
}

private struct RedactedFields {
    var kept: Set<String>
    let labelled: [String: Set<String>]

    func written(_ text: String, in field: String?) -> Substring {
        guard let field, let alone = labelled[field] else { return text[...] }
        guard let colon = text.firstIndex(of: ":") else { return alone.contains(text) ? "" : text[...] }
        return text[text.index(after: colon)...]
    }
}

extension Value {
    fileprivate func redacted(_ fields: RedactedFields, _ texts: RedactedTexts) -> Value {
        switch texts {
        case .all: redacted(fields) { _ in true }
        case .those(let isRedacted): redacted(fields, isRedacted)
        // An action of a root has one field, whose name is that of the feature.
        case .row(let feature, let id): mapFields { $0.name == feature ? $0.value.redacted(fields, ofRow: id) : $0.value }
        }
    }

    private func redacted(_ fields: RedactedFields, in field: String? = nil, _ isRedacted: (String) -> Bool) -> Value {
        switch self {
        case .null, .bool, .int, .double: return self
        case .text(let text):
            let written = fields.written(text, in: field)
            return written.utf8.isEmpty || !isRedacted(String(written)) ? self : "⟨redacted⟩"
        case .list(let values): return .list(values.map { $0.redacted(fields, in: field, isRedacted) })
        case .record:
            return mapFields { fields.kept.contains($0.name) ? $0.value : $0.value.redacted(fields, in: $0.name, isRedacted) }
        }
    }

    private func redacted(_ fields: RedactedFields, ofRow id: Int64) -> Value {
        switch self {
        case .null, .bool, .int, .double, .text: self
        case .list(let values): .list(values.map { $0.redacted(fields, ofRow: id) })
        case .record: self["id"] == .int(id) ? redacted(fields) { _ in true } : mapFields { $0.value.redacted(fields, ofRow: id) }
        }
    }

    private func mapFields(_ transform: (Field) -> Value) -> Value {
        record.map { .record($0.map { Field($0.name, transform($0)) }) } ?? self
    }
}

extension ValueMismatch {
    fileprivate var lastName: String {
        let last = path.split(separator: ".").last.map(String.init) ?? path
        return String(last.prefix { $0 != "[" })
    }
}
