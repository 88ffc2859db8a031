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
    ///   - texts: which of its texts go.
    /// - Returns: `nil` when there is no text in it that can go.
    public func redacted(keeping names: Set<String>, _ texts: RedactedTexts = .all) -> Self? {
        var kept = names
        // Where a text must have a form it stays; the mismatch names it.
        for _ in 0..<Redacting.attemptsMax {
            do throws(ValueMismatch) {
                let redacted = try Self(value.redacted(keeping: kept, texts))
                return redacted == self ? nil : redacted
            } catch {
                guard kept.insert(error.lastName).inserted else { return nil }
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

extension Value {
    fileprivate func redacted(keeping kept: Set<String>, _ texts: RedactedTexts) -> Value {
        switch texts {
        case .all: redacted(keeping: kept) { _ in true }
        case .those(let isToGo): redacted(keeping: kept, isToGo)
        case .row(let feature, let id): redacted(keeping: kept, ofRow: id, in: feature)
        }
    }

    private func redacted(keeping kept: Set<String>, _ isToGo: (String) -> Bool) -> Value {
        switch self {
        case .null, .bool, .int, .double: self
        case .text(let text): text.utf8.isEmpty || !isToGo(text) ? self : .text(Redacting.text)
        case .list(let values): .list(values.map { $0.redacted(keeping: kept, isToGo) })
        case .record(let fields):
            .record(fields.map { kept.contains($0.name) ? $0 : Field($0.name, $0.value.redacted(keeping: kept, isToGo)) })
        }
    }

    /// The value of a root feature's action, which names the feature first.
    private func redacted(keeping kept: Set<String>, ofRow id: Int64, in feature: String) -> Value {
        guard case .record(let features) = self else { return self }
        return .record(
            features.map { field in
                field.name == feature ? Field(field.name, field.value.redacted(keeping: kept, ofRow: id)) : field
            })
    }

    private func redacted(keeping kept: Set<String>, ofRow id: Int64) -> Value {
        switch self {
        case .null, .bool, .int, .double, .text: self
        case .list(let values): .list(values.map { $0.redacted(keeping: kept, ofRow: id) })
        case .record(let fields):
            fields["id"] == .int(id)
                ? redacted(keeping: kept) { _ in true }
                : .record(fields.map { Field($0.name, $0.value.redacted(keeping: kept, ofRow: id)) })
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
