import Reducing

extension App.Action {
    /// What stands in the place of a text that was taken out.
    public static let redactedText = "⟨redacted⟩"

    // What names something, or is one of a few choices: without it the action would be about something else.
    private static let kept: Set<String> = [
        "id", "key", "kind", "language", "languages", "names", "options", "result", "priority", "at",
    ]

    /// The same action with its texts taken out: what it is about, and how many of what it holds, stay.
    ///
    /// `nil` when there is no text in it that can go.
    public var redacted: App.Action? {
        var kept = Self.kept
        // Where a text must have a form it stays; the mismatch names it.
        for _ in 0..<Self.attemptsMax {
            do throws(ValueMismatch) {
                let action = try App.Action(value.redacted(keeping: kept))
                return action == self ? nil : action
            } catch {
                guard kept.insert(error.lastName).inserted else { return nil }
            }
        }
        return nil
    }

    private static let attemptsMax = 32
}

extension Value {
    fileprivate func redacted(keeping kept: Set<String>) -> Value {
        switch self {
        case .null, .bool, .int: self
        case .text(let text): text.utf8.isEmpty ? self : .text(App.Action.redactedText)
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
