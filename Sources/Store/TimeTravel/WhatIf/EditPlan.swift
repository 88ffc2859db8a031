import Chronicle
import ChronicleLog
import ChronicleStore

/// The edits of a query, indexed by record.
struct EditPlan<App: Feature>: Sendable {
    typealias Insertion = (action: App.Action, index: Int)

    struct Replacement: Sendable {
        var action: App.Action
        var index: Int
        /// The batch of the record, whose ids the action may use.
        var batch: ClosedRange<UInt64>
        var ids: [UInt64] = []
    }

    let recordsOnly: Bool
    let skipped: RangeSet<UInt64>
    /// Skipped steps that began before the skipped records.
    var earlierSteps: Set<UInt64> = []
    /// Steps whose effects may differ, and with them their undos.
    var affected: Set<UInt64> = []
    private(set) var edits: [UInt64: Replacement] = [:]
    /// Records that an edited record of the same batch replaces.
    private(set) var replaced: Set<UInt64> = []
    private(set) var insertions: [UInt64: [Insertion]] = [:]

    /// Indexes the edits of records above `base` up to `last`, of a log that ends at `head`.
    /// - Throws: `badEdit` with the first invalid one, `futureSequence` and `pruned`.
    init(_ query: WhatIfQuery<App>, base: UInt64, last: UInt64, head: UInt64) throws(StoreError) {
        recordsOnly = query.recordsOnly
        var skipped = RangeSet<UInt64>()
        guard query.edits.count <= HistoryLimits.editsMax else { throw .answerTooLarge }
        for (index, edit) in query.edits.enumerated() {
            func check(_ sequence: UInt64, from first: UInt64) throws(StoreError) {
                guard sequence >= first else {
                    guard base == 0 else { throw .pruned(base: base) }
                    throw .badEdit(index, "\(sequence) can't be altered; the log begins at 1")
                }
                guard sequence <= head else { throw .futureSequence(head: head) }
                guard sequence <= last else {
                    throw .badEdit(index, "\(sequence) comes after \(last), the moment that is asked for")
                }
            }
            switch edit {
            case .skip(let range):
                try check(range.lowerBound, from: base + 1)
                try check(range.upperBound, from: base + 1)
                skipped.insert(contentsOf: Range(range))
            case .edit(let sequence, let action):
                try check(sequence, from: base + 1)
                guard edits[sequence] == nil else { throw .badEdit(index, "\(sequence) is edited twice") }
                edits[sequence] = Replacement(action: action, index: index, batch: sequence...sequence)
            case .insert(let sequence, let action):
                try check(sequence, from: base)
                insertions[sequence, default: []].append((action, index))
            }
        }
        self.skipped = skipped
        for (sequence, edit) in edits.sorted(by: { $0.value.index < $1.value.index }) where skipped.contains(sequence) {
            throw .badEdit(edit.index, "\(sequence) is skipped as well")
        }
    }

    /// The first record that may differ from the log.
    var first: UInt64? {
        let all = [
            skipped.ranges.first?.lowerBound, earlierSteps.min(), edits.keys.min(), insertions.keys.min().map { $0 + 1 },
            replaced.min(), affected.min(),
        ]
        return all.compactMap { $0 }.min()
    }

    /// Makes an edited record replace its batch, which created these ids.
    mutating func widen(_ edited: UInt64, to batch: ClosedRange<UInt64>, ids: [UInt64]) {
        edits[edited]?.batch = batch
        edits[edited]?.ids = ids
        for sequence in batch where edits[sequence] == nil { replaced.insert(sequence) }
    }

    /// Whether a whole step is skipped; its id is its first record, so only steps that began before the skipped records are listed.
    func skips(step: UInt64) -> Bool { !recordsOnly && (skipped.contains(step) || earlierSteps.contains(step)) }

    /// Whether a record is unedited, except perhaps by its cause or its step, and nothing is inserted after it.
    func isPlain(_ sequence: UInt64) -> Bool {
        (edits.isEmpty || edits[sequence] == nil) && (insertions.isEmpty || insertions[sequence] == nil)
            && (replaced.isEmpty || !replaced.contains(sequence))
    }

    /// Whether a record is skipped; an edit takes precedence over skipping its step.
    ///
    /// The results of the commands of a skipped step are decided with those commands, not here.
    func skips(_ record: HeaderFields) -> Bool {
        if skipped.contains(record.sequence) { return true }
        // A command's end in a later step than its request belongs to that later step, which undid it.
        let isOfStep = record.cause.map { record.step > $0.sequence } ?? true
        guard isOfStep, skips(step: record.step) else { return false }
        return edits[record.sequence] == nil && !replaced.contains(record.sequence)
    }
}

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
        for range in plan.skipped.ranges {
            let known = plan
            var found: Set<UInt64> = []
            try await walk(from: range.lowerBound, through: range.upperBound - 1, queries) { record, _ in
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
