import Chronicle
import ChronicleLog
import ChronicleStore
import Synchronization

extension History {
    /// Finds the batches of edited records; such a record replaces its batch, unless records are edited alone.
    func findBatches(_ plan: inout AlterationPlan<App>, _ queries: isolated Queries) async throws(StoreError) {
        for edited in plan.edited {
            let record = try record(at: edited)
            guard record.header.kind.isFolded else {
                let alteration = plan.edits[edited]?.alteration ?? 0
                throw .alteration(
                    alteration, "\(edited) is of kind \(record.header.kind.name) and holds no action that could be another")
            }
            var batch = edited...edited
            var ids = record.action.map(App.created) ?? []
            if plan.skipping == .steps {
                let head = log.head.sequence
                while batch.lowerBound - 1 > base.sequence {
                    let (earlier, next) = (try self.record(at: batch.lowerBound - 1), try self.record(at: batch.lowerBound))
                    guard next.cameWith(earlier) else { break }
                    batch = batch.lowerBound - 1...batch.upperBound
                    try await queries.yieldIfNeeded()
                    ids += earlier.action.map(App.created) ?? []
                }
                while batch.upperBound < head {
                    let (last, later) = (try self.record(at: batch.upperBound), try self.record(at: batch.upperBound + 1))
                    guard later.cameWith(last) else { break }
                    batch = batch.lowerBound...batch.upperBound + 1
                    try await queries.yieldIfNeeded()
                    ids += later.action.map(App.created) ?? []
                }
            }
            plan.widen(edited, to: batch, ids: ids)
            guard plan.replaced.count <= HistoryLimits.alterationsMax else { throw .answerTooLarge }
            try await queries.yieldIfNeeded()
        }
    }

    /// Finds the undos whose targets may differ, and their undos; any step after the first edit may have another effect.
    func findAffected(
        _ plan: inout AlterationPlan<App>, through last: UInt64, _ queries: isolated Queries
    ) async throws(StoreError) {
        guard let first = plan.first else { return }
        // If records are edited alone, the undos of all other steps stay as logged.
        let candidates = plan.skipping == .steps ? first : .max
        var steps: Set<UInt64> = []
        for edited in plan.edited {
            let header = try record(at: edited).header
            // Steps that began before the base are not fully known: their undos stay as logged.
            if header.step > base.sequence { steps.insert(header.step) }
        }
        guard !steps.isEmpty || plan.skipping == .steps else { return }
        var undone: Set<UInt64> = []
        let known = plan
        try await walk(from: first, through: last, queries) { record, _ in
            if let step = record.undoes, record.kind.isFolded {
                let isSkipped = known.skips(step: step)
                let isCandidate = steps.contains(step) || step >= candidates && !isSkipped
                if isCandidate { undone.insert(step) }
                if isCandidate || isSkipped, !known.skips(step: record.step) { steps.insert(record.step) }
            }
            return true
        } between: { () throws(StoreError) in
            guard steps.count <= HistoryLimits.alterationsMax else {
                let count = HistoryLimits.alterationsMax
                throw .alteration(
                    0,
                    "more than \(count) undos behind it would be computed anew; begin at a later record, or alter records alone")
            }
            return true
        }
        plan.affected = undone
    }

    /// The actions of all records of an undo, given its first; empty for other records.
    func actions(
        ofUndo record: HeaderFields, in fold: AlteredFold<App>, _ queries: isolated Queries
    ) async throws(StoreError) -> [App.Action] {
        guard fold.beginsUndo(record) else { return [] }
        var actions: [App.Action] = []
        for sequence in record.sequence...log.head.sequence {
            let next = try self.record(at: sequence)
            guard next.header.step == record.step, next.header.undoes == record.undoes else { break }
            if next.header.kind == .action, let action = next.action { actions.append(action) }
            try await queries.yieldIfNeeded()
        }
        return actions
    }

    /// The state before the batch of an edited record, whose ids were the next ones there; `nil` for another record.
    func stateBefore(
        _ sequence: UInt64, in plan: AlterationPlan<App>, _ queries: isolated Queries
    ) async throws(StoreError) -> App.State? {
        guard let edit = plan.edits[sequence] else { return nil }
        var past = try await past(at: edit.batch.lowerBound - 1, queries)
        keep(&past)
        return past.state
    }
}

extension LoggedRecord {
    fileprivate func cameWith(_ before: LoggedRecord) -> Bool {
        let (one, other) = (before.header, header)
        guard one.kind == .action, other.kind == .action, one.cause == nil, other.cause == nil, one.step == other.step,
            one.origin == other.origin, one.undoes == other.undoes
        else { return false }
        // Records of one dispatch are a microsecond apart; without a key, only this tells them from a continuation of the step.
        guard let key = one.key else { return other.key == nil && other.time == one.time + 1 }
        return other.key?.hasSameBytes(as: key) == true
    }
}
