public import Chronicle
import Varlink

/// Errors whose messages say more than their parameters.
extension APIError {
    /// Maximum number of conflicts that are searched for; if this number is found, there may be more.
    public static let conflictsFoundMax = 1_000
    private static let conflictsMax = 100
    /// Maximum size of the conflicts in an error, in bytes of JSON; a single conflict may exceed it.
    private static let conflictsBytesMax = 256 << 10

    public static func badAction(_ mismatch: ValueMismatch, action: Int) -> APIError {
        .badAction(message: mismatch.message, action: action, path: mismatch.path)
    }

    public static func unknownStep(step: UInt64) -> APIError {
        .unknownStep(message: "There is no earlier step \(step).", step: step)
    }

    /// No earlier step of the same uid that a dispatch could continue.
    public static func unknownOwnStep(_ step: UInt64) -> APIError {
        .unknownStep(message: "There is no earlier step \(step) of yours.", step: step)
    }

    public static var answerTooLarge: APIError {
        .answerTooLarge(message: "The answer is larger than 1 MiB. Call with more, or ask for a smaller scope.")
    }

    /// The base of a log, after `record`, has more than `max` of some parts; a compaction can remove forgettable ones.
    public static func baseTooLarge(_ parts: String, max: UInt64, record: UInt64, areForgettable: Bool = false) -> APIError {
        .answerTooLarge(
            message: "The log begins with more than \(max) \(parts), the maximum of an import. "
                + (areForgettable ? "A compaction of at least one more record with --forget-keys removes old keys. " : "")
                + "A backup copies the entire log; an export with --from \(record + 1) has the records after its beginning.")
    }

    public static func compactedFork(through base: UInt64) -> APIError {
        .badFork(
            message: "The fork's own log begins after record \(base), so it can't be merged. It can still be read. "
                + "To merge later changes, make another fork.")
    }

    /// The records of a merge that is to be redone were merged by another step; the first merge may be compacted.
    public static func mergedMeanwhile(_ again: UInt64, in other: UInt64, isPruned: Bool = false) -> APIError {
        .mergedMeanwhile(
            message: (isPruned
                ? "Step \(again) was compacted, and step \(other) may have merged the same records. "
                : "Step \(other) merged the records of step \(again) again, so they would be here twice. ")
                + "Undo step \(other) first.",
            step: other)
    }

    public static func viewTooLarge(of feature: String) -> APIError {
        .answerTooLarge(message: "The view of \(feature) is larger than 1 MiB. Read it in parts: View with more.")
    }

    /// The answer to a dry run is too large; it has neither pages nor a scope.
    public static var dryRunTooLarge: APIError {
        .answerTooLarge(message: "The changes are too many for one answer. Try fewer actions at once.")
    }

    public static func unknownFeature(_ feature: String, known: [String]) -> APIError {
        let those = known.isEmpty ? "the app is a single feature." : Spelling.proposal(for: feature, among: known)
        return .unknownFeature(message: "There is no feature named \(feature); \(those)", feature: feature)
    }

    /// An unknown action, with a suggestion or the actions of the feature.
    /// - Parameter known: all actions with their features: `todos.add`.
    public static func unknownAction(_ name: String, of feature: String?, known: [String]) -> APIError {
        guard !name.isEmpty else { return .unknownAction(message: "The name of the action is empty: \"\".", name: name) }
        let owner = feature ?? name.split(separator: ".").first.map(String.init) ?? ""
        let own = known.filter { $0.hasPrefix(owner + ".") }
        let (place, those) = (feature.map { " in \($0)" } ?? "", own.isEmpty ? known : own)
        // Without a feature in the request the suggestion has none, either.
        let short = Set(those.compactMap { $0.split(separator: ".", maxSplits: 1).last.map(String.init) }).sorted()
        let question = name.contains(".") ? nil : Spelling.question(about: name, among: short)
        // The actions of all features are too many to list.
        let proposal =
            question ?? (own.isEmpty ? Spelling.question(about: name, among: those) : Spelling.proposal(for: name, among: those))
        return .unknownAction(
            message: "There is no action named \(name)\(place)" + (proposal.map { "; \($0)" } ?? "."), name: name)
    }

    /// An unknown scope, with a suggestion or the known names.
    /// - Parameter known: all scopes, such as `todos` and `todos.items`.
    public static func unknownScope(_ scope: String, known: [String]) -> APIError {
        let outermost = known.filter { !$0.contains(".") }.joined(separator: ", ")
        let proposal = Spelling.question(about: scope, among: known) ?? "there are \(outermost), and the fields of each."
        return .unknownScope(message: "There is no scope named \(scope); \(proposal)", scope: scope)
    }

    public static func changedSince(_ conflicts: [Conflict]) -> APIError {
        var bytes = 0
        let listed = conflicts.prefix(conflictsMax).prefix { conflict in
            let isFirst = bytes == 0
            bytes += conflict.byteCount
            return isFirst || bytes <= conflictsBytesMax
        }
        let others = conflicts.count > 1 ? " and more" : ""
        return .changedSince(
            message: "It has changed since: \(conflicts.first?.path ?? "")\(others). Nothing was done.", conflicts: Array(listed),
            leftOut: listed.count < conflicts.count ? UInt64(conflicts.count - listed.count) : nil)
    }

    public static func importRefused(verdict: String, reasons: [String]) -> APIError {
        .importRefused(message: "To import this is \(verdict): \(reasons.joined(separator: " "))", verdict: verdict)
    }
}
