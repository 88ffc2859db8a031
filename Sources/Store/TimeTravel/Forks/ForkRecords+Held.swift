import ChronicleLog
import ChronicleStore

extension ForkRecords {
    /// The active merges among the records to merge.
    var standingMerges: ActiveMerges {
        var (undos, standing) = (UndoStates(), ActiveMerges())
        for (record, _) in actions.reversed() {
            undos.take(record)
            guard record.isMerge, undos.undoing(record.step) == nil, let mark = marks[record.sequence] else { continue }
            standing.take(mark, of: record.step)
        }
        return standing
    }

    /// Throws `badFork` if a fork would be merged twice because it was merged into both logs.
    /// - Parameters:
    ///   - held: the active merges in this fork.
    ///   - here: the active merges in the target log.
    func checkHeld(_ held: ActiveMerges, _ here: ActiveMerges) throws(StoreError) {
        for (step, mark) in here.all where mark.firstChain != firstChain {
            guard !mark.held.contains(where: { $0.firstChain == firstChain }) else {
                throw .badFork(
                    "It came with another fork, into which it was merged, in step \(step): "
                        + "merge what it did since into that one, and that one here, or undo step \(step).")
            }
            for (other, own) in held.all where own.overlaps(mark) {
                throw .badFork(
                    "A fork that was merged into it, in its step \(other), is here already since step \(step): "
                        + "undo its step \(other) there, or step \(step) here.")
            }
        }
    }
}
