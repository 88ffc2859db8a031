import Chronicle
import ChronicleLog
import ChronicleStore

extension History {
    func plan(
        _ question: WhatIfQuery<App>, through last: UInt64, _ queries: isolated QueryExecutor
    ) async throws(StoreError) -> EditPlan<App> {
        var plan = try EditPlan(question, base: base.sequence, last: last, head: log.head.sequence)
        try await findSteps(&plan, queries)
        try await findBatches(&plan, queries)
        try await findAffected(&plan, through: last, queries)
        return plan
    }

    /// Finds the steps of skipped records that began before the skipped range.
    private func findSteps(_ plan: inout EditPlan<App>, _ queries: isolated QueryExecutor) async throws(StoreError) {
        guard !plan.recordsOnly else { return }
        for range in plan.skipped {
            let known = plan
            var found: Set<UInt64> = []
            try await walk(from: range.lowerBound, through: range.upperBound, queries) { record, _ in
                // A step that began before the base lacks its first records, as does a record without a step.
                if record.step < record.sequence, record.step > base.sequence, !known.skips(step: record.step) {
                    found.insert(record.step)
                }
                return true
            } between: { () throws(StoreError) in
                guard plan.earlierSteps.count + found.count <= HistoryLimits.editsMax else { throw .answerTooLarge }
                return true
            }
            plan.earlierSteps.formUnion(found)
        }
    }

    /// Finds the batches of edited records; such a record replaces its batch, unless records are edited alone.
    private func findBatches(_ plan: inout EditPlan<App>, _ queries: isolated QueryExecutor) async throws(StoreError) {
        for (edited, edit) in plan.edits.sorted(by: { $0.key < $1.key }) {
            let record = try record(at: edited)
            guard record.header.kind.isFolded else {
                throw .badEdit(
                    edit.index, "\(edited) is of kind \(record.header.kind.name) and holds no action that could be another")
            }
            var batch = edited...edited
            var ids = record.action.map(App.created) ?? []
            for isForward in plan.recordsOnly ? [] : [false, true] {
                let last = try await outermost(from: record, isForward: isForward, queries) { before, after in
                    // Records of one dispatch are a microsecond apart; without a key, nothing else distinguishes them from a continuation
                    // of the step.
                    guard after.header.isOfBatch(of: before.header),
                        after.header.key != nil || after.header.time == before.header.time + 1
                    else { return false }
                    ids += (isForward ? after : before).action.map(App.created) ?? []
                    return true
                }.header.sequence
                batch = min(batch.lowerBound, last)...max(batch.upperBound, last)
            }
            plan.widen(edited, to: batch, ids: ids)
            guard plan.replaced.count <= HistoryLimits.editsMax else { throw .answerTooLarge }
            try await queries.yieldIfNeeded()
        }
    }

    /// Finds the undos whose targets may differ, and their undos; any step after the first edit may have another effect.
    private func findAffected(
        _ plan: inout EditPlan<App>, through last: UInt64, _ queries: isolated QueryExecutor
    ) async throws(StoreError) {
        guard let first = plan.first else { return }
        // If records are edited alone, the undos of all other steps stay as logged.
        let candidates = plan.recordsOnly ? .max : first
        var steps: Set<UInt64> = []
        for edited in plan.edits.keys {
            let header = try record(at: edited).header
            // Steps that began before the base are not fully known: their undos stay as logged.
            if header.step > base.sequence { steps.insert(header.step) }
        }
        guard !steps.isEmpty || !plan.recordsOnly else { return }
        let known = plan
        var undone: Set<UInt64> = []
        try await walk(from: first, through: last, queries) { record, _ in
            if let step = record.undoes, record.kind.isFolded {
                let isSkipped = known.skips(step: step)
                let isCandidate = steps.contains(step) || step >= candidates && !isSkipped
                if isCandidate { undone.insert(step) }
                if isCandidate || isSkipped, !known.skips(step: record.step) { steps.insert(record.step) }
            }
            return true
        } between: { () throws(StoreError) in
            guard steps.count <= HistoryLimits.editsMax else {
                throw .badEdit(
                    0,
                    "more than \(HistoryLimits.editsMax) later undos would have to be recomputed; begin at a later record, or edit records alone"
                )
            }
            return true
        }
        plan.affected = undone
    }
}
