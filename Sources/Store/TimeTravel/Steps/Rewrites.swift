import Records

/// Which steps took back or did again which, as a walk from the last record to the first meets them.
struct Rewrites {
    // By what was taken back, the step that did it and stands.
    private var undone: [UInt64: UInt64] = [:]
    // By what was taken back and done again, the step that did it again and stands.
    private var redone: [UInt64: UInt64] = [:]

    /// Takes the record before the last one that was taken.
    mutating func take(_ record: HeaderFields) {
        if let step = record.undoes { take(step, undoneBy: record.step) }
    }

    /// The same of the record of a step that took one back.
    mutating func take(_ step: UInt64, undoneBy undoer: UInt64) {
        if let again = undone[undoer] {
            redone[step] = again
        } else {
            undone[step] = standing(for: undoer)
        }
    }

    /// The step that took a step back and stands; `nil`: none did.
    func undoing(_ step: UInt64) -> UInt64? { undone[step] }

    /// The step that did a step again and stands; `nil`: it was not taken back.
    func redoing(_ step: UInt64) -> UInt64? { redone[step] }

    /// The step that is to be taken back for a step to be as if it had not been: itself, or the one that did it again.
    func standing(for step: UInt64) -> UInt64 { redone[step] ?? step }
}
