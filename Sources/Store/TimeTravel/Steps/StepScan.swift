import Records
import Reducing

/// Walks through records from the last one to the first, and puts them together to steps.
struct StepScan {
    /// A step, as far as it was seen.
    struct Step {
        var number: UInt64
        /// Its records: runs without a gap, the last first.
        var runs: [ClosedRange<UInt64>] = []
        /// Whether somebody wanted something done, and didn't only type or ask to see something.
        var hasOrder = false
        /// Whether somebody asked to see something: what a source has, or a page.
        var hasRequest = false
        /// Whether anything in it can have changed the state.
        var isFolded = false
        /// What it takes back.
        var undoes: Set<UInt64> = []
        /// Whose it is: that of its first record.
        var origin: UInt32 = 0
    }

    /// What was taken back by steps that stand, and what was done again.
    private(set) var rewrites = Rewrites()
    /// What was taken back and then done again by a step that stands: that one is what is to be taken back.
    private(set) var doneAgain: Set<UInt64> = []
    /// The commands that were cancelled: their ends belong to whoever cancelled them.
    private(set) var cancelled: Set<CommandID> = []
    /// What was wiped by steps that stand.
    private(set) var wipes = Wipes()
    private var open: [UInt64: Step] = [:]
    // What steps of interest took back.
    private var takenBackHere: Set<UInt64> = []
    private let isOfInterest: @Sendable (HeaderFields) -> Bool

    init(of isOfInterest: @escaping @Sendable (HeaderFields) -> Bool) { self.isOfInterest = isOfInterest }

    /// Whether a step was taken back by one that stands.
    func isTakenBack(_ step: UInt64) -> Bool { undoing(step) != nil }

    /// The step that took a step back and stands; `nil`: none did.
    func undoing(_ step: UInt64) -> UInt64? { rewrites.undoing(step) }

    /// Takes the record before the last one that was taken; gives the step that it begins.
    ///
    /// - Parameter nature: what sort of thing somebody wanted with it; `nil` if nobody did.
    mutating func take(_ record: HeaderFields, wanting nature: ActionNature?, wiping scopes: ScopeSet) -> Step? {
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
        switch nature {
        case .order?, .fact?: step.hasOrder = true
        case .request?: step.hasRequest = true
        case .typing?, nil: break
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
