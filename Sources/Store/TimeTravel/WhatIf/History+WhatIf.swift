import Chronicle
import ChronicleLog
public import ChronicleStore

extension History {
    /// A dry-run fold of an altered history.
    ///
    /// The results of a command stay if the altered history requests the same command in the same record, by name and arguments;
    /// otherwise they are removed. Edited and inserted actions pass through `prepare` in the altered state; events are allowed.
    /// - Throws: `alteration` for an invalid edit, `refusedAlteration` for a refused action, `answerTooLarge` for more than
    ///   `HistoryLimits.changesMax` changes.
    public func whatIf(
        _ question: WhatIfQuery<App>, progress: @Sendable (UInt64) -> Void = { _ in }
    ) async throws(StoreError) -> Alternative<App> {
        try await query(.long) { (queries) async throws(StoreError) in
            var (answer, real) = try await self.alternative(to: question, progress, queries)
            let changes = App.changes(from: real, to: answer.state, limit: HistoryLimits.changesMax)
            guard let changes else { throw .answerTooLarge }
            answer.changes = changes
            return answer
        }
    }

    /// The altered state, without its diff, and the real state.
    /// - Parameter known: the real state, if the caller has it; comparing the two is slower, because they share no storage.
    func alternative(
        to question: WhatIfQuery<App>, from known: PastState<App>? = nil, _ progress: @Sendable (UInt64) -> Void,
        _ queries: isolated Queries
    ) async throws(StoreError) -> (answer: Alternative<App>, real: App.State) {
        let last = try position(question.at)
        var plan = try AlterationPlan(question, base: base.sequence, last: last, head: log.head.sequence)
        try await findSteps(&plan, queries)
        try await findBatches(&plan, queries)
        try await findAffected(&plan, through: last, queries)
        let first = plan.first.map { $0 - 1 } ?? last
        let (past, real) =
            if let known { (try await self.past(at: first, queries), known) } else { try await pair(first, last, queries) }
        var fold = AlteredFold(plan, of: question, from: past, to: real)
        try await insert(behind: first, &fold, queries)
        while fold.sequence < last {
            try await altered(&fold, through: last, queries)
            progress(fold.sequence)
            try await queries.yieldIfNeeded()
        }
        return (fold.answer, real.state)
    }

    private func altered(
        _ fold: inout AlteredFold<App>, through last: UInt64, _ queries: isolated Queries
    ) async throws(StoreError) {
        var stop: (record: HeaderFields, action: App.Action?, halt: AlteredFold<App>.Halt)?
        try readSlice(from: fold.sequence + 1, through: last) { record, action in
            guard let halt = fold.take(record, action) else { return true }
            stop = (record, action, halt)
            return false
        }
        guard let (record, action, halt) = stop else { return }
        let calls = record.commandCount > 0 ? try self.record(at: record.sequence).header.commands : []
        let before = try await stateBefore(record.sequence, in: fold.plan, queries)
        let undo = try await actions(ofUndo: record, in: fold, queries)
        try await track(try fold.handle(record, action, calls, halt, before: before, undo: undo), &fold, queries)
        if record.kind == .edit, let id = record.cause, let edit = try self.record(at: record.sequence).edit {
            fold.take(edit, of: id, by: record)
        }
        try await insert(behind: record.sequence, &fold, queries)
    }

    private func insert(
        behind sequence: UInt64, _ fold: inout AlteredFold<App>, _ queries: isolated Queries
    ) async throws(StoreError) {
        for insertion in fold.plan.insertions[sequence] ?? [] {
            try await queries.yieldIfNeeded()
            // Before the first record there is no time, so the insertion has the time of the first record.
            let time = sequence > 0 || log.head.sequence == 0 ? fold.time : try record(at: 1).header.time
            for diff in try fold.insert(insertion.action, alteration: insertion.alteration, at: time) {
                try await track(diff, &fold, queries)
            }
        }
    }

    private func track(
        _ diff: CommandDiff<App>, _ fold: inout AlteredFold<App>, _ queries: isolated Queries
    ) async throws(StoreError) {
        var rest = [diff]
        while let next = rest.popLast() {
            if next.isEmpty { continue }
            if fold.needsOpen(for: next) { fold.learn(try await openCommands(in: fold, queries)) }
            rest += try fold.followUps(of: next).reversed()
        }
    }

    /// The commands requested before the fold that are still open at its current record.
    private func openCommands(
        in fold: AlteredFold<App>, _ queries: isolated Queries
    ) async throws(StoreError) -> [OpenNames<App.Command>.Entry] {
        let first = fold.answer.from
        let rows = try StoreError.reading { () throws(ActionLogError) in try log.outbox() }
        var calls: [CommandID: (call: CommandCall, origin: UInt32)] = [:]
        let kept = try StoreError.reading { () throws(ActionLogError) in try log.kept() }
        for row in rows where row.id.sequence <= first {
            calls[row.id] = row.edited == 0 ? (row.call, row.origin) : try call(of: row.id, kept)
        }
        var ended: [CommandID] = []
        try await walk(from: fold.sequence + 1, through: log.head.sequence, queries) { record, _ in
            if record.kind == .end, let cause = record.cause, cause.sequence <= first { ended.append(cause) }
            return ended.count < HistoryLimits.pageRecordsMax
        } between: { () throws(StoreError) in
            for id in ended { calls[id] = try call(of: id, kept) }
            ended = []
            return true
        }
        for id in fold.leftOpen { calls[id] = try call(of: id, kept) }
        for edit in try await edits(through: fold.sequence, queries) {
            if let id = edit.header.cause, let call = edit.edit?.after { calls[id]?.call = call }
        }
        return calls.sorted { $0.key < $1.key }.compactMap { id, found in
            CommandDiff<App>.command(of: found.call).map {
                .init(id: id, command: $0, origin: found.origin, sides: fold.leftOpen.contains(id) ? .altered : .both)
            }
        }
    }

    private func edits(through last: UInt64, _ queries: isolated Queries) async throws(StoreError) -> [LoggedRecord<App>] {
        guard base.sequence < last else { return [] }
        var edits: [LoggedRecord<App>] = []
        var found: [UInt64] = []
        try await walk(from: base.sequence + 1, through: last, queries) { record, _ in
            if record.kind == .edit { found.append(record.sequence) }
            return true
        } between: { () throws(StoreError) in
            for sequence in found { edits.append(try record(at: sequence)) }
            found = []
            return edits.count <= HistoryLimits.goneMax
        }
        return edits
    }

    /// The logged call of a command; read from the base if its record was compacted.
    private func call(of id: CommandID, _ kept: CompactionSummary?) throws(StoreError) -> (call: CommandCall, origin: UInt32)? {
        guard id.sequence > base.sequence else { return kept?.open.first { $0.id == id }.map { ($0.call, $0.origin) } }
        let header = try record(at: id.sequence).header
        return header.commands.indices.contains(Int(id.index)) ? (header.commands[Int(id.index)], header.origin) : nil
    }

    private func findSteps(_ plan: inout AlterationPlan<App>, _ queries: isolated Queries) async throws(StoreError) {
        guard plan.skipping == .steps else { return }
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
                guard plan.earlierSteps.count + found.count <= HistoryLimits.alterationsMax else { throw .answerTooLarge }
                return true
            }
            plan.earlierSteps.formUnion(found)
        }
    }
}
