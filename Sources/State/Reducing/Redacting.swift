extension ValueConvertible where Self: Equatable {
    /// The same without its texts: what it is about, and how many of what it holds, stay.
    ///
    /// - Parameter names: fields that stay, because without their text it would be about something else.
    /// - Returns: `nil` when there is no text in it that can go.
    public func redacted(keeping names: Set<String>) -> Self? {
        var kept = names
        // Where a text must have a form it stays; the mismatch names it.
        for _ in 0..<Redacting.attemptsMax {
            do throws(ValueMismatch) {
                let redacted = try Self(value.redacted(keeping: kept))
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
    fileprivate func redacted(keeping kept: Set<String>) -> Value {
        switch self {
        case .null, .bool, .int, .double: self
        case .text(let text): text.utf8.isEmpty ? self : .text(Redacting.text)
        case .list(let values): .list(values.map { $0.redacted(keeping: kept) })
        case .record(let fields):
            .record(fields.map { kept.contains($0.name) ? $0 : Field($0.name, $0.value.redacted(keeping: kept)) })
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
