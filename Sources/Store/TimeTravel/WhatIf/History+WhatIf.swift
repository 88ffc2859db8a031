public import Chronicle
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

    /// The commands requested before the replay that are still open at its current record, perhaps only in the altered history.
    private func openCommands(
        in replay: ReplayWithEdits<App>, _ queries: isolated QueryExecutor
    ) async throws(StoreError) -> [ReplayWithEdits<App>.Entry] {
        var rows = try StoreError.reading { () throws(ActionLogError) in
            CurrentRows<App.Command>(beforeFirstOf: log, log.head, try log.kept(), stored: ([], []))
        }
        let leftOpen = replay.leftOpen
        var changes: [HeaderFields] = []
        try await walk(from: base.sequence + 1, through: replay.sequence, queries) { record, _ in
            let isLeftOut = record.kind == .end && record.cause.map(leftOpen.contains) == true
            if record.changesRows, !isLeftOut { changes.append(record) }
            return true
        } between: { () throws(StoreError) in
            try StoreError.reading { () throws(ActionLogError) in
                for record in changes { try rows.apply(record, of: log) }
            }
            changes = []
            return true
        }
        return rows.outbox.filter { $0.id.sequence <= replay.result.from }.compactMap { row in
            RequestDiff<App>.command(of: row.call).map {
                .init(id: row.id, command: $0, origin: row.origin, sides: leftOpen.contains(row.id) ? .altered : .both)
            }
        }
    }
}

extension Undoer {
    /// Changes the present to the result of an altered history, as one step.
    ///
    /// Open commands that the altered history would not have run are cancelled; external effects that have already happened are reported.
    /// Events can't be inserted or edited.
    /// - Parameter question: its end and its uid are ignored: these are the present, and the caller's.
    /// - Throws: the errors of `History.whatIf`; `factNotAllowed` for an event.
    public func apply(_ question: WhatIfQuery<App>, _ call: UndoCall) async throws(StoreError) -> Undone<App.Command> {
        for (index, edit) in question.edits.enumerated() {
            switch edit {
            case .edit(_, let action), .insert(_, let action):
                guard App.kind(of: action) != .event else { throw .factNotAllowed(action: index) }
            case .skip: break
            }
        }
        var question = question
        (question.at, question.origin) = (.now, call.origin)
        let asked = question
        // Not serialized, because a long fold would delay the undos of others.
        return try await repeated(call, digest: Self.digest(of: question)) { call async throws(StoreError) in
            let result = try await history.whatIf(asked)
            // An incomplete result can't be applied.
            guard !result.isCut else { throw .answerTooLarge }
            let present = try await history.state(at: .sequence(result.to)).state
            let reversion = try await history.reversion(from: present, to: result.state)
            let open = try await store.commands().filter { command in result.notRun.contains { $0.id == command.id } }
            let tried = Set(open.lazy.filter { $0.row.attempts > 0 }.map(\.id))
            let effects = result.notRun.compactMap { missing -> Undone<App.Command>.Effect? in
                guard let command = RequestDiff<App>.command(of: missing.call), command.leavesTrace else { return nil }
                guard missing.outcome == .result || tried.contains(missing.id) else { return nil }
                return .init(id: missing.id, command: command, isCertain: missing.outcome == .result)
            }
            return try await commit(reversion, call, cancelling: .these(open.map(\.id)), effects: effects)
        }
    }

    /// Identifies the request of a key.
    private static func digest(of question: WhatIfQuery<App>) -> UInt64 {
        var writer = CanonicalWriter()
        for edit in question.edits {
            writer.message(1) { writer in
                switch edit {
                case .skip(let range):
                    writer.field(1, range.lowerBound)
                    writer.field(2, range.upperBound)
                case .edit(let sequence, let action):
                    writer.field(3, sequence)
                    action.encode(into: &writer)
                case .insert(let sequence, let action):
                    writer.element(4, sequence)
                    action.encode(into: &writer)
                }
            }
        }
        writer.field(2, question.recordsOnly)
        writer.field(3, question.keepsResults)
        return Checksum.of(writer.bytes.span.bytes)
    }
}
