import ChronicleLog

/// Tracks, while scanning a log backwards, which steps undid or redid which.
struct Rewrites {
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
