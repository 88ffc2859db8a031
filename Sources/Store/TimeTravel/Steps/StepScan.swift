import Chronicle
import ChronicleLog

/// Groups records into steps while scanning a log backwards.
struct StepScan {
    struct Step {
        var number: UInt64
        /// Runs of consecutive records, newest first.
        var runs: [ClosedRange<UInt64>] = []
        /// Whether it contains a command, not only edits and queries.
        var hasOrder = false
        var hasRequest = false
        var isFolded = false
        var undoes: Set<UInt64> = []
        /// The uid of its first record.
        var origin: UInt32 = 0
    }

    /// The undos and redos of active steps.
    private(set) var rewrites = Rewrites()
    /// Steps whose redo is active: the redo is the one to undo.
    private(set) var doneAgain: Set<UInt64> = []
    /// Cancelled commands: their ends belong to the steps that cancelled them.
    private(set) var cancelled: Set<CommandID> = []
    /// Scopes that active steps overwrote.
    private(set) var wipes = Wipes()
    private var open: [UInt64: Step] = [:]
    // The targets of the steps of interest.
    private var takenBackHere: Set<UInt64> = []
    private let isOfInterest: @Sendable (HeaderFields) -> Bool

    init(of isOfInterest: @escaping @Sendable (HeaderFields) -> Bool) { self.isOfInterest = isOfInterest }

    func isTakenBack(_ step: UInt64) -> Bool { undoing(step) != nil }

    func undoing(_ step: UInt64) -> UInt64? { rewrites.undoing(step) }

    /// Adds the preceding record; returns the step that it begins.
    /// - Parameter kind: the kind of its action; `nil` if it is the result of a command.
    mutating func take(_ record: HeaderFields, wanting kind: ActionKind?, wiping scopes: ScopeSet) -> Step? {
        if let undone = record.undoes {
            if !isTakenBack(record.step) {
                if isOfInterest(record) { takenBackHere.insert(undone) }
            } else if takenBackHere.contains(record.step) {
                doneAgain.insert(undone)
            }
        }
        rewrites.take(record)
        wipes.take(record, wiping: scopes, rewrites)
        if record.outcome == .cancelled, let command = record.cause { cancelled.insert(command) }
        guard isOfInterest(record) else { return nil }
        var step = open[record.step] ?? Step(number: record.step)
        let sequence = record.sequence
        if let last = step.runs.last, last.lowerBound == sequence + 1 {
            step.runs[step.runs.count - 1] = sequence...last.upperBound
        } else {
            step.runs.append(sequence...sequence)
        }
        switch kind {
        case .command?, .event?: step.hasOrder = true
        case .query?: step.hasRequest = true
        case .edit?, nil: break
        }
        if record.kind.isFolded { step.isFolded = true }
        if let undone = record.undoes { step.undoes.insert(undone) }
        step.origin = record.origin
        if sequence == record.step {
            open[record.step] = nil
            return step
        }
        open[record.step] = step
        return nil
    }
}
