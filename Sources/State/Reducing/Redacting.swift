/// Which texts of an action are to go.
public enum RedactedTexts: Sendable {
    /// All of them.
    case all
    /// Those for which the closure says so.
    case those(@Sendable (String) -> Bool)
    /// Those of whatever has this id, of what belongs to a feature.
    case row(feature: String, id: Int64)
}

extension ValueConvertible where Self: Equatable {
    /// The same without its texts: what it is about, and how many of what it holds, stay.
    ///
    /// - Parameters:
    ///   - names: fields that stay, because without their text it would be about something else.
    ///   - labelled: fields whose texts begin with a word for what is behind a colon, as `due:2026-12-01` does, with those that
    ///     stand alone: that word is nobody's text.
    ///   - texts: which of its texts go.
    /// - Returns: `nil` when there is no text in it that can go.
    public func redacted(
        keeping names: Set<String>, labelled: [String: Set<String>] = [:], _ texts: RedactedTexts = .all
    ) -> Self? {
        var fields = RedactedFields(kept: names, labelled: labelled)
        // Where a text must have a form it stays; the mismatch names it.
        for _ in 0..<Redacting.attemptsMax {
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

private enum Redacting {
    static let attemptsMax = 32
    /// What stands in the place of a text that was taken out.
    static let text = "⟨redacted⟩"
}

/// How the texts of fields are taken.
private struct RedactedFields {
    var kept: Set<String>
    let labelled: [String: Set<String>]

    /// What of a text somebody wrote.
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
        case .those(let isToGo): redacted(fields, isToGo)
        case .row(let feature, let id): redacted(fields, ofRow: id, in: feature)
        }
    }

    /// - Parameter field: the one that it stands in.
    private func redacted(_ fields: RedactedFields, in field: String? = nil, _ isToGo: (String) -> Bool) -> Value {
        switch self {
        case .null, .bool, .int, .double: return self
        case .text(let text):
            let written = fields.written(text, in: field)
            return written.utf8.isEmpty || !isToGo(String(written)) ? self : .text(Redacting.text)
        case .list(let values): return .list(values.map { $0.redacted(fields, in: field, isToGo) })
        case .record(let members):
            return .record(
                members.map { member in
                    fields.kept.contains(member.name)
                        ? member : Field(member.name, member.value.redacted(fields, in: member.name, isToGo))
                })
        }
    }

    /// The value of a root feature's action, which names the feature first.
    private func redacted(_ fields: RedactedFields, ofRow id: Int64, in feature: String) -> Value {
        guard case .record(let features) = self else { return self }
        return .record(
            features.map { field in
                field.name == feature ? Field(field.name, field.value.redacted(fields, ofRow: id)) : field
            })
    }

    private func redacted(_ fields: RedactedFields, ofRow id: Int64) -> Value {
        switch self {
        case .null, .bool, .int, .double, .text: self
        case .list(let values): .list(values.map { $0.redacted(fields, ofRow: id) })
        case .record(let members):
            members["id"] == .int(id)
                ? redacted(fields) { _ in true }
                : .record(members.map { Field($0.name, $0.value.redacted(fields, ofRow: id)) })
        }
    }
}

extension ValueMismatch {
    /// The name of the field that does not fit, without its index.
    fileprivate var lastName: String {
        let last = path.split(separator: ".").last.map(String.init) ?? path
        return String(last.prefix { $0 != "[" })
    }
}
