import Chronicle
import ChronicleLog

extension StagedLog {
    enum Verdict {
        case done(DispatchResult<App.Command>)
        /// An earlier call with the same key; the answer lacks the presentations.
        case known(DispatchResult<App.Command>)
    }

    /// Stages the records of a dispatch, or throws and changes nothing.
    /// - Returns: `nil` if the log must be read to find whether the dispatch continues a step of its uid.
    mutating func accept(_ dispatch: Dispatch<App.Action>) throws(StoreError) -> Verdict? {
        try checkWritable()
        let key = try stagedKey(of: dispatch)
        if let key, let first = try answer(to: key) { return found(first, by: dispatch) }
        try checkUnlocked()
        try checkExpectations(of: dispatch)
        if let step = dispatch.step {
            guard let isKnown = isStep(step, of: dispatch) else { return nil }
            guard isKnown else { throw .unknownOwnStep(step) }
        }
        try pending.checkRoom(in: log, freeBytesMin: options.freeBytesMin)

        let before = mark
        let scheduled = outbox.scheduled(of: dispatch.origin)
        do {
            var batch = Batch<App>(first: staged.sequence + 1)
            let now = options.clock.wall()
            for index in dispatch.actions.indices { try stage(index, of: dispatch, at: now, into: &batch) }
            let lastTime = staged.time
            if !batch.commands.isEmpty {
                try followUp(&batch)
                try checkScheduled(by: dispatch, before: scheduled)
            }
            if let requirement = dispatch.requirement { try check(requirement) }
            try checkChanges(from: before.staged.state, bytesMax: options.stateBytesMax)
            let answer = DispatchResult(
                epoch: staged.epoch, sequences: batch.sequences, ids: batch.ids, existing: batch.existing,
                presentations: batch.commands.filter { $0.isPresentational },
                areCommandsHeld: outbox.holdsAll && batch.commands.contains { !$0.isPresentational && !$0.policy.isCancellation })
            if let key { try pending.add(key, answer, at: lastTime) }
            if let step = dispatch.step {
                steps.note(step, of: dispatch.origin)
            } else if batch.count > 0 {
                steps.note(batch.sequences.lowerBound, of: dispatch.origin)
            }
            return .done(answer)
        } catch {
            rollBack(to: before)
            throw error
        }
    }

    mutating func stage(
        _ index: Int, of dispatch: Dispatch<App.Action>, at now: Int64, into batch: inout Batch<App>
    ) throws(StoreError) {
        let action = dispatch.actions[index]
        guard App.kind(of: action) != .event else { throw .factNotAllowed(action: index) }
        // Actions that log nothing are not limited otherwise, but they hold up all other calls, too.
        if dispatch.actions.count > 1 {
            batch.cost += App.cost(of: action, in: staged.state)
            guard index == 0 || batch.cost <= Limits.batchCostMax, index < Limits.batchRecordsMax else { throw .batchTooLarge }
        }
        let logged: [App.Action]
        do {
            let context = Context(time: nextTime(now), wallTime: now, origin: dispatch.origin)
            logged = try App.prepare(action, staged.state, context)
        } catch {
            throw .refused(error, action: index)
        }
        if logged.isEmpty { batch.existing += App.existing(for: action, in: staged.state) }
        for action in logged {
            guard batch.count < Limits.batchRecordsMax else { throw .batchTooLarge }
            let header = RecordHeader(
                kind: .action, sequence: 0, time: 0, origin: dispatch.origin, step: dispatch.step ?? batch.sequences.lowerBound,
                key: dispatch.key, build: options.build)
            appendOwn(action, header, at: now, into: &batch)
        }
    }

    mutating func appendOwn(_ action: App.Action, _ header: RecordHeader, at now: Int64, into batch: inout Batch<App>) {
        let commands = append(action, header, at: now, depth: 0, into: &batch)
        if !commands.isEmpty { batch.commands += commands }
        batch.note(App.created(by: action))
    }

    /// The key of a dispatch, with the digest of its actions as dispatched.
    private mutating func stagedKey(of dispatch: Dispatch<App.Action>) throws(StoreError) -> StagedKey? {
        guard let key = dispatch.key else { return nil }
        guard 1...Limits.keyBytesMax ~= key.utf8.count else { throw .keyTooLong }
        return StagedKey(name: KeyName(uid: dispatch.origin, key: ExactText(key)), digest: pending.digest(of: dispatch.actions))
    }

    func answer(to key: StagedKey) throws(StoreError) -> Verdict? {
        if let staged = pending.keys[key.name] {
            guard staged.digest == key.digest else { throw .keyReused }
            var first = staged.answer
            first.isDuplicate = true
            return .done(first)
        }
        guard let row = try StoreError.reading({ () throws(ActionLogError) in try log.key(key.name.key.text, of: key.name.uid) })
        else {
            if let shared, shared.isInDoubt(key.name.key.text, of: key.name.uid) {
                throw .inDoubt("the cluster does not answer, and the outcome of the last attempt at this change is unknown")
            }
            return nil
        }
        // A row that was rebuilt from the records has no digest.
        guard row.digest == key.digest || row.digest == 0 else { throw .keyReused }
        // No dispatch of ours writes such a row, and each record of the range is answered by number.
        guard row.first <= row.last, row.last < .max, row.last - row.first < ImportLimits.keyRecordsMax else {
            throw .damaged(sequence: row.first, what: "the row of its key")
        }
        let sequences = row.first == 0 ? 0..<0 : row.first..<row.last + 1
        return .known(DispatchResult(epoch: staged.epoch, sequences: sequences, ids: row.ids, isDuplicate: true))
    }

    // Existing ids are not stored with the key, but an action that logged nothing finds them again.
    private func found(_ first: Verdict, by dispatch: Dispatch<App.Action>) -> Verdict {
        let existing = { dispatch.actions.flatMap { App.existing(for: $0, in: staged.state) } }
        switch first {
        case .done(var answer) where answer.sequences.isEmpty:
            answer.existing = existing()
            return .done(answer)
        case .known(var answer) where answer.sequences.isEmpty:
            answer.existing = existing()
            return .known(answer)
        default: return first
        }
    }

    func checkExpectations(of dispatch: Dispatch<App.Action>) throws(StoreError) {
        if let epoch = dispatch.epoch, epoch != staged.epoch { throw .epochChanged(current: staged.epoch) }
        let indexed = dispatch.actions.reduce(into: ScopeSet()) { $0.formUnion(App.indexedScope(of: $1)) }
        if let expected = dispatch.expectedSequence {
            let last = staged.lastChange(of: dispatch.scope)
            guard expected <= staged.sequence else { throw .futureSequence(head: staged.sequence) }
            if last > expected { throw indexed.isEmpty ? .stale(current: last) : .staleIndex(current: last) }
        }
        if !indexed.isEmpty {
            let covered = dispatch.expectedSequence != nil && dispatch.scope.map { ScopeSet(index: $0) } == indexed
            guard covered else { throw .staleIndex(current: staged.sequence) }
        }
    }

    // Does not read the log: an old record may take as long as the disk does.
    private func isStep(_ step: UInt64, of dispatch: Dispatch<App.Action>) -> Bool? {
        guard step >= log.first, step <= log.head.sequence else { return false }
        return dispatch.isOwnStep ?? (steps.contains(step, of: dispatch.origin) ? true : nil)
    }
}
