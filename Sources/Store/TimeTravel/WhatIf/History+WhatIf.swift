import Chronicle
import ChronicleLog
public import ChronicleStore

extension History {
    /// A dry-run replay of an altered history.
    ///
    /// The results of a command stay if the altered history requests the same command in the same record, by name and arguments;
    /// otherwise they are removed. Edited and inserted actions pass through `prepare` in the altered state; events are allowed.
    /// - Throws: `badEdit`, `refusedEdit` for a refused action, `answerTooLarge` for more than `HistoryLimits.changesMax` changes.
    public func whatIf(
        _ question: WhatIfQuery<App>, progress: @Sendable (UInt64) -> Void = { _ in }
    ) async throws(StoreError) -> WhatIfResult<App> {
        try await query(.long) { (queries) async throws(StoreError) in
            let last = try self.position(question.at)
            let plan = try await self.plan(question, through: last, queries)
            let first = plan.first.map { $0 - 1 } ?? last
            let (past, real) = try await self.pair(first, last, queries)
            var replay = ReplayWithEdits(plan, of: question, from: past, to: real)
            try await self.insert(after: first, &replay, queries)
            while replay.sequence < last {
                try await self.advance(&replay, through: last, queries)
                progress(replay.sequence)
                try await queries.yieldIfNeeded()
            }
            let changes = App.changes(from: real.state, to: replay.result.state, limit: HistoryLimits.changesMax)
            guard let changes else { throw .answerTooLarge }
            replay.result.changes = changes
            return replay.result
        }
    }

    private func advance(
        _ replay: inout ReplayWithEdits<App>, through last: UInt64, _ queries: isolated QueryExecutor
    ) async throws(StoreError) {
        var special: (record: HeaderFields, action: App.Action?, stop: ReplayWithEdits<App>.Stop)?
        try readSlice(from: replay.sequence + 1, through: last) { record, action in
            guard let stop = replay.take(record, action) else { return true }
            special = (record, action, stop)
            return false
        }
        guard let (record, action, stop) = special else { return }
        let calls = record.commandCount > 0 ? try self.record(at: record.sequence).header.commands : []
        let before = try await stateBefore(record.sequence, in: replay.plan, queries)
        let undo = replay.beginsUndo(record) ? try await actions(ofUndo: record.sequence, queries) : []
        try await track([try replay.handle(record, action, calls, stop, before: before, undo: undo)], &replay, queries)
        if record.kind == .edit, let id = record.cause, let edit = try self.record(at: record.sequence).edit {
            replay.take(edit, of: id, by: record)
        }
        try await insert(after: record.sequence, &replay, queries)
    }

    private func insert(
        after sequence: UInt64, _ replay: inout ReplayWithEdits<App>, _ queries: isolated QueryExecutor
    ) async throws(StoreError) {
        for insertion in replay.plan.insertions[sequence] ?? [] {
            try await queries.yieldIfNeeded()
            // Before the first record there is no time, so the insertion has the time of the first record.
            let time = sequence > 0 || log.head.sequence == 0 ? replay.time : try record(at: 1).header.time
            try await track(try replay.insert(insertion, at: time), &replay, queries)
        }
    }

    /// Tracks commands and the effects of their ends.
    private func track(
        _ diffs: [RequestDiff<App>], _ replay: inout ReplayWithEdits<App>, _ queries: isolated QueryExecutor
    ) async throws(StoreError) {
        var rest = Array(diffs.reversed())
        while let next = rest.popLast() {
            if next.isEmpty { continue }
            if replay.needsOpen(for: next) { replay.learn(try await openCommands(in: replay, queries)) }
            rest += try replay.followUps(of: next).reversed()
        }
    }

    /// The state before the batch of an edited record, whose ids were the next ones there; `nil` for another record.
    private func stateBefore(
        _ sequence: UInt64, in plan: EditPlan<App>, _ queries: isolated QueryExecutor
    ) async throws(StoreError) -> App.State? {
        guard let edit = plan.edits[sequence] else { return nil }
        var past = try await past(at: edit.batch.lowerBound - 1, queries)
        keep(&past)
        return past.state
    }

    /// The actions of all records of an undo, given its first.
    private func actions(ofUndo first: UInt64, _ queries: isolated QueryExecutor) async throws(StoreError) -> [App.Action] {
        let record = try record(at: first)
        var actions = record.action.map { [$0] } ?? []
        _ = try await outermost(from: record, isForward: true, queries) { before, after in
            guard after.header.step == before.header.step, after.header.undoes == before.header.undoes else { return false }
            if after.header.kind == .action, let action = after.action { actions.append(action) }
            return true
        }
        return actions
    }

    /// The commands requested before the replay that are still open at its current record.
    private func openCommands(
        in replay: ReplayWithEdits<App>, _ queries: isolated QueryExecutor
    ) async throws(StoreError) -> [ReplayWithEdits<App>.Entry] {
        let first = replay.result.from
        let rows = try StoreError.reading { () throws(ActionLogError) in try log.outbox() }
        let kept = try StoreError.reading { () throws(ActionLogError) in try log.kept() }
        var calls: [CommandID: (call: CommandCall, origin: UInt32)] = [:]
        for row in rows where row.id.sequence <= first {
            calls[row.id] = row.edited == 0 ? (row.call, row.origin) : try call(of: row.id, kept)
        }
        for id in replay.leftOpen { calls[id] = try call(of: id, kept) }
        let ends = try await records(from: replay.sequence + 1, through: log.head.sequence, queries) { record in
            record.kind == .end && record.cause.map { $0.sequence <= first } ?? false
        }
        for id in ends.compactMap(\.header.cause) { calls[id] = try call(of: id, kept) }
        for edit in try await records(from: base.sequence + 1, through: replay.sequence, queries, where: { $0.kind == .edit }) {
            if let id = edit.header.cause, let call = edit.edit?.after { calls[id]?.call = call }
        }
        return calls.sorted { $0.key < $1.key }.compactMap { id, found in
            RequestDiff<App>.command(of: found.call).map {
                .init(id: id, command: $0, origin: found.origin, sides: replay.leftOpen.contains(id) ? .altered : .both)
            }
        }
    }

    /// The records of a range whose headers match, up to `HistoryLimits.goneMax`.
    private func records(
        from first: UInt64, through last: UInt64, _ queries: isolated QueryExecutor, where isWanted: (HeaderFields) -> Bool
    ) async throws(StoreError) -> [LoggedRecord<App>] {
        var records: [LoggedRecord<App>] = []
        var found: [UInt64] = []
        guard first <= last else { return [] }
        try await walk(from: first, through: last, queries) { record, _ in
            if isWanted(record) { found.append(record.sequence) }
            return found.count < HistoryLimits.pageRecordsMax
        } between: { () throws(StoreError) in
            for sequence in found { records.append(try record(at: sequence)) }
            found = []
            return records.count <= HistoryLimits.goneMax
        }
        return records
    }

    /// The logged call of a command; read from the base if its record was compacted.
    private func call(of id: CommandID, _ kept: CompactionSummary?) throws(StoreError) -> (call: CommandCall, origin: UInt32)? {
        guard id.sequence > base.sequence else { return kept?.open.first { $0.id == id }.map { ($0.call, $0.origin) } }
        let header = try record(at: id.sequence).header
        return header.commands.indices.contains(Int(id.index)) ? (header.commands[Int(id.index)], header.origin) : nil
    }
}
