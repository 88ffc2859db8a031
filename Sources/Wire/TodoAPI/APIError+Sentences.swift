public import Reducing
import Varlink

/// Errors whose sentence says more than their parameters do.
extension APIError {
    /// How many conflicts are looked for: where there are so many, there may be more.
    public static let conflictsFoundMax = 1_000
    /// How many conflicts an error lists.
    public static let conflictsMax = 100
    /// Bytes of the conflicts that an error lists, as JSON; one may go beyond it.
    public static let conflictsBytesMax = 256 << 10

    /// The shape is that of no action.
    public static func badAction(_ mismatch: ValueMismatch, action: Int) -> APIError {
        .badAction(message: mismatch.message, action: action, path: mismatch.path)
    }

    /// There is no such earlier step.
    public static func unknownStep(step: UInt64) -> APIError {
        .unknownStep(message: "There is no earlier step \(step).", step: step)
    }

    /// There is none of the same uid that a dispatch could continue.
    public static func unknownOwnStep(_ step: UInt64) -> APIError {
        .unknownStep(message: "There is no earlier step \(step) of yours.", step: step)
    }

    /// An answer above 1 MiB without `more`.
    public static var answerTooLarge: APIError {
        .answerTooLarge(message: "The answer is larger than 1 MiB. Call with more, or ask for a smaller scope.")
    }

    /// What a log begins with is larger than an import takes.
    ///
    /// - Parameters:
    ///   - things: of what it has more than `max`.
    ///   - record: the last that it stands for.
    ///   - areForgettable: whether a compaction can forget some of them.
    public static func baseTooLarge(
        _ things: String, max: UInt64, record: UInt64, areForgettable: Bool = false
    ) -> APIError {
        .answerTooLarge(
            message:
                "What the log begins with has more than \(max) \(things), which no import takes. "
                + (areForgettable
                    ? "A compaction that moves at least one more record can forget old keys, with --forget-keys. " : "")
                + "A backup copies all of the log; an export with --from \(record + 1) has what comes behind it.")
    }

    /// A fork whose own log was compacted.
    ///
    /// - Parameter base: the last record that is gone.
    public static func compactedFork(through base: UInt64) -> APIError {
        .badFork(
            message: "The fork's own log begins behind record \(base), so what it did before can't be told, and it can't be "
                + "merged. What is in it can still be read; to begin anew, make another fork.")
    }

    /// What a merge brought, which is to be here again, came meanwhile with another one.
    ///
    /// - Parameter isPruned: whether nobody can tell any more what it brought.
    public static func mergedMeanwhile(_ again: UInt64, in meanwhile: UInt64, isPruned: Bool = false) -> APIError {
        .mergedMeanwhile(
            message: (isPruned
                ? "Step \(again) was compacted away, and what it brought may have come meanwhile in step \(meanwhile): "
                : "What step \(again) brought came meanwhile in step \(meanwhile), and would be here twice: ")
                + "take back step \(meanwhile) before.",
            step: meanwhile)
    }

    /// What a feature shows is above 1 MiB.
    public static func viewTooLarge(of feature: String) -> APIError {
        .answerTooLarge(message: "What \(feature) shows is larger than 1 MiB. It can be read in pieces (View with more).")
    }

    /// The answer of a dry run that tells more than one answer may: there is no more of it to call for, and no scope of it.
    public static var dryRunTooLarge: APIError {
        .answerTooLarge(message: "This would change more than one answer can tell. Try fewer actions at once.")
    }

    /// There is no feature of that name; here is the one that was meant, or those that there are.
    public static func unknownFeature(_ feature: String, known: [String]) -> APIError {
        let those =
            known.isEmpty ? "the app is one feature without a name." : Spelling.proposal(for: feature, among: known)
        return .unknownFeature(message: "There is no feature named \(feature); \(those)", feature: feature)
    }

    /// There is no action of that name, or no such one of the feature; here is the one that was meant, or those of the feature.
    ///
    /// - Parameter known: all of them, each behind its feature: `todos.add`.
    public static func unknownAction(_ name: String, of feature: String?, known: [String]) -> APIError {
        guard !name.isEmpty else { return .unknownAction(message: "The name of the action is empty: \"\".", name: name) }
        let owner = feature ?? name.split(separator: ".").first.map(String.init) ?? ""
        let own = known.filter { $0.hasPrefix(owner + ".") }
        let (place, those) = (feature.map { " in \($0)" } ?? "", own.isEmpty ? known : own)
        // Who wrote it without its feature may go on to do so.
        let short = Set(those.compactMap { $0.split(separator: ".", maxSplits: 1).last.map(String.init) }).sorted()
        let question = name.contains(".") ? nil : Spelling.question(about: name, among: short)
        // Those of all features are too many to be read.
        let proposal =
            question ?? (own.isEmpty ? Spelling.question(about: name, among: those) : Spelling.proposal(for: name, among: those))
        return .unknownAction(
            message: "There is no action named \(name)\(place)" + (proposal.map { "; \($0)" } ?? "."), name: name)
    }

    /// There is no scope of that name; here is the one that was meant, or those that there are.
    ///
    /// - Parameter known: all of them, `todos` and `todos.items`.
    public static func unknownScope(_ scope: String, known: [String]) -> APIError {
        let outermost = known.filter { !$0.contains(".") }.joined(separator: ", ")
        let proposal =
            Spelling.question(about: scope, among: known) ?? "there are \(outermost), and the fields of each."
        return .unknownScope(message: "There is no scope named \(scope); \(proposal)", scope: scope)
    }

    /// What is to be taken back has changed since; here is what.
    public static func changedSince(_ conflicts: [Conflict]) -> APIError {
        var listed: [Conflict] = []
        var bytes = 0
        for conflict in conflicts.prefix(conflictsMax) {
            bytes += conflict.value.jsonBytes.count
            if !listed.isEmpty, bytes > conflictsBytesMax { break }
            listed.append(conflict)
        }
        let others = conflicts.count > 1 ? " and more" : ""
        return .changedSince(
            message: "It has changed since: \(conflicts.first?.path ?? "")\(others). Nothing was done.", conflicts: listed,
            leftOut: listed.count < conflicts.count ? UInt64(conflicts.count - listed.count) : nil)
    }

    /// What is to be imported is risky or impossible, for these reasons.
    public static func importRefused(verdict: String, reasons: [String]) -> APIError {
        .importRefused(message: "To import this is \(verdict): \(reasons.joined(separator: " "))", verdict: verdict)
    }
}
