import Chronicle
import ChronicleLog
import ChronicleStore

extension History {
    /// Throws `mergedMeanwhile` if undoing would reactivate a merge whose records were also merged by a later one.
    func checkMergesAgain(_ plan: StepPlan<App>, _ queries: isolated QueryExecutor) async throws(StoreError) {
        let steps = plan.parts.map(\.step)
        let taken = try await undoneMerges(by: steps, through: plan.through, queries)
        guard taken.isAny || taken.pruned != nil else { return }
        var (now, then) = (UndoStates(), UndoStates())
        for step in steps { then.take(step, undoneBy: plan.through + 1) }
        var standing: [(step: UInt64, mark: ForkMark, isAgain: Bool)] = []
        var end = plan.through
        while end > base.sequence {
            let first = max(base.sequence + 1, end - min(end - 1, HistoryLimits.scanRecords - 1))
            for record in try await readPage(first...end, queries, { record, _ in record }).reversed() {
                now.take(record)
                then.take(record)
                guard record.isMerge, record.sequence == record.step, then.undoing(record.step) == nil,
                    let mark = try self.record(at: record.sequence).header.merges
                else { continue }
                let isAgain = now.undoing(record.step) != nil
                if let other = standing.first(where: { (isAgain || $0.isAgain) && $0.mark.repeats(mark) }) {
                    let (again, meanwhile) = isAgain ? (record.step, other.step) : (other.step, record.step)
                    throw .mergedMeanwhile(again, in: meanwhile)
                }
                standing.append((record.step, mark, isAgain))
            }
            end = first - 1
        }
        // The compacted step may have been a merge of the same records.
        if let pruned = taken.pruned, let other = standing.first(where: { !$0.isAgain }) {
            throw .mergedMeanwhile(pruned, in: other.step, isPruned: true)
        }
    }

    /// Whether steps undid a merge, directly or through undos of undos; also returns an undone step that was compacted away.
    private func undoneMerges(
        by steps: [UInt64], through last: UInt64, _ queries: isolated QueryExecutor
    ) async throws(StoreError) -> (isAny: Bool, pruned: UInt64?) {
        var pruned: UInt64?
        var rest = steps.map { (step: $0, isOwn: true) }
        var seen: Set<UInt64> = []
        while let (step, isOwn) = rest.popLast() {
            guard seen.insert(step).inserted else { continue }
            if step <= base.sequence { pruned = step }
            var undone: Set<UInt64> = []
            var (next, isMerge) = (step, false)
            while next > base.sequence, next <= last {
                try readSlice(from: next, through: last) { record, _ in
                    guard record.step == step else {
                        next = last
                        return false
                    }
                    next = record.sequence
                    isMerge = isMerge || record.isMerge
                    if let step = record.undoes { undone.insert(step) }
                    return true
                }
                next += 1
                try await queries.yieldIfNeeded()
            }
            if isMerge, !isOwn { return (true, pruned) }
            rest += undone.map { ($0, false) }
        }
        return (false, pruned)
    }
}
