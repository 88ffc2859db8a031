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

    /// A record that overwrote whole scopes.
    struct Overwrite {
        var sequence: UInt64
        /// The step to undo to remove the overwrite.
        var step: UInt64
        var scopes: ScopeSet
        /// The first overwritten record is the one after this; 0: everything.
        var after: UInt64
    }

    /// The undos and redos of active steps.
    private(set) var undos = UndoStates()
    /// Steps whose redo is active: the redo is the one to undo.
    private(set) var redone: Set<UInt64> = []
    /// Cancelled commands: their ends belong to the steps that cancelled them.
    private(set) var cancelled: Set<CommandID> = []
    /// Overwrites of active steps, newest first: the last one of each step, up to the maximum number of steps in one undo.
    private(set) var overwrites: [Overwrite] = []
    private var open: [UInt64: Step] = [:]
    // The targets of the steps of interest.
    private var undoneHere: Set<UInt64> = []
    private let isOfInterest: @Sendable (HeaderFields) -> Bool

    init(of isOfInterest: @escaping @Sendable (HeaderFields) -> Bool) { self.isOfInterest = isOfInterest }

    func isUndone(_ step: UInt64) -> Bool { undoing(step) != nil }

    func undoing(_ step: UInt64) -> UInt64? { undos.undoing(step) }

    /// Adds the preceding record; returns the step that it begins.
    /// - Parameter kind: the kind of its action; `nil` if it is the result of a command.
    mutating func take(_ record: HeaderFields, wanting kind: ActionKind?, overwriting scopes: ScopeSet) -> Step? {
        if let undone = record.undoes {
            if !isUndone(record.step) {
                if isOfInterest(record) { undoneHere.insert(undone) }
            } else if undoneHere.contains(record.step) {
                redone.insert(undone)
            }
        }
        undos.take(record)
        noteOverwrite(of: scopes, by: record)
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

    private mutating func noteOverwrite(of scopes: ScopeSet, by record: HeaderFields) {
        guard !scopes.isEmpty, !isUndone(record.step), overwrites.count <= HistoryLimits.stepsMax else { return }
        let (step, after) = (undos.standing(for: record.step), record.restores ?? 0)
        if let last = overwrites.last, last.step == step, last.scopes.isSuperset(of: scopes), last.after == after { return }
        overwrites.append(Overwrite(sequence: record.sequence, step: step, scopes: scopes, after: after))
    }
}

/// Tracks, while scanning a log backwards, which steps undid or redid which.
struct UndoStates {
    // Active undos, by their target.
    private var undone: [UInt64: UInt64] = [:]
    // Active redos, by their target.
    private var redone: [UInt64: UInt64] = [:]

    mutating func take(_ record: HeaderFields) { if let step = record.undoes { take(step, undoneBy: record.step) } }

    mutating func take(_ step: UInt64, undoneBy undoer: UInt64) {
        if let again = undone[undoer] {
            redone[step] = again
        } else {
            undone[step] = standing(for: undoer)
        }
    }

    func undoing(_ step: UInt64) -> UInt64? { undone[step] }

    /// The active step that redid a step; `nil`: it was not undone.
    func redoing(_ step: UInt64) -> UInt64? { redone[step] }

    /// The step to undo in place of a step: itself, or its redo.
    func standing(for step: UInt64) -> UInt64 { redone[step] ?? step }
}
