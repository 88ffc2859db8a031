import ActionCoding
import ActionLogs
import Reducing
import Synchronization

extension Store {
    /// Judges a dispatch on the staged state and stages its records, or leaves everything as it was.
    func judge(_ dispatch: Dispatch<App.Action>) -> Result<Acknowledgement<App.Command>, StoreError> {
        do {
            return .success(try accept(dispatch))
        } catch {
            statistics.refused.add(1, ordering: .relaxed)
            return .failure(error)
        }
    }

    /// Refuses what would write to a log that can't be written, or not now.
    @inline(__always)
    func checkWritable() throws(StoreError) {
        guard options.access == .readWrite else { throw .readOnly }
        guard !isLent else { throw .busy }
    }

    private func accept(_ dispatch: Dispatch<App.Action>) throws(StoreError) -> Acknowledgement<App.Command> {
        try checkWritable()
        let key = try stagedKey(of: dispatch)
        if let key, var first = try answer(to: key) {
            // What there was is not kept with the key, but what logged nothing finds it again.
            if first.sequences.isEmpty { first.existing = dispatch.actions.flatMap { App.existing(for: $0, in: staged.state) } }
            return first
        }
        try checkExpectations(of: dispatch)
        try pending.checkRoom(in: log, freeBytesMin: options.freeBytesMin)

        let before = mark
        do {
            var batch = Batch<App>(first: staged.sequence + 1)
            try stage(dispatch, into: &batch)
            let lastTime = staged.time
            if !batch.commands.isEmpty { try settle(&batch) }
            switch dispatch.purpose {
            case .tryOut:
                defer { rollBack(to: before) }
                return try dryRun(batch, from: before.staged.state)
            case .log:
                staged.note(App.changedScopes(from: before.staged.state, to: staged.state), at: staged.sequence)
                let answer = Acknowledgement(
                    epoch: staged.epoch, sequences: batch.sequences, ids: batch.ids, existing: batch.existing,
                    presentations: batch.commands.filter { $0.isPresentational })
                if let key { try pending.add(key, answer, at: lastTime) }
                if let step = dispatch.step { continuations.note(step, at: staged.sequence) }
                return answer
            }
        } catch {
            rollBack(to: before)
            throw error
        }
    }

    typealias Mark = (staged: Present<App.State>, clock: RecordClock, flush: Flush.Mark, outbox: Int)

    /// The place that `rollBack` comes back to.
    var mark: Mark { (staged, clock, pending.flush.mark, outbox.mark) }

    func rollBack(to before: Mark) {
        staged = before.staged
        clock = before.clock
        pending.flush.truncate(to: before.flush)
        outbox.undo(to: before.outbox)
    }

    private func dryRun(
        _ batch: Batch<App>, from state: App.State
    ) throws(StoreError) -> Acknowledgement<App.Command> {
        guard let changes = App.changes(from: state, to: staged.state, limit: Limits.changesMax) else { throw .answerTooLarge }
        let empty = batch.sequences.lowerBound..<batch.sequences.lowerBound
        return Acknowledgement(
            epoch: staged.epoch, sequences: empty, ids: batch.ids, existing: batch.existing, changes: changes,
            commands: batch.commands.filter { !$0.isPresentational })
    }

    private func stage(_ dispatch: Dispatch<App.Action>, into batch: inout Batch<App>) throws(StoreError) {
        let now = options.clock.reading
        for (index, action) in dispatch.actions.enumerated() {
            guard App.nature(of: action) != .fact else { throw .refused(.factNotAllowed, action: index) }
            let logged: [App.Action]
            do {
                let context = Context(time: clock.next(now), origin: dispatch.origin)
                logged = try App.prepare(action, staged.state, context)
            } catch {
                throw .refused(error, action: index)
            }
            if logged.isEmpty { batch.existing += App.existing(for: action, in: staged.state) }
            for action in logged {
                guard batch.count < Limits.batchRecordsMax else { throw .batchTooLarge }
                fold(action, of: dispatch, at: now, into: &batch)
            }
        }
    }

    private func fold(
        _ action: App.Action, of dispatch: Dispatch<App.Action>, at now: RecordClock.Reading, into batch: inout Batch<App>
    ) {
        let stamp = clock.stamp(now)
        staged.sequence += 1
        staged.time = stamp.time
        let context = Context(time: stamp.time, origin: dispatch.origin)
        let commands = App.reduce(&staged.state, action, context)
        var header = RecordHeader(
            kind: .action, sequence: staged.sequence, time: stamp.time, rawTime: stamp.rawTime, origin: dispatch.origin,
            step: dispatch.step ?? batch.sequences.lowerBound, key: dispatch.key, build: options.build)
        if !commands.isEmpty {
            header.commands = commands.map { CommandCall($0) }
            batch.commands += commands
            open(commands, askedBy: header, depth: 0, into: &batch)
        }
        pending.stage(header, action)
        batch.note(App.created(by: action))
    }

    /// The key of a dispatch that is to be logged, with the digest of its actions as they came.
    private func stagedKey(of dispatch: Dispatch<App.Action>) throws(StoreError) -> StagedKey? {
        guard let key = dispatch.key, case .log = dispatch.purpose else { return nil }
        guard 1...Limits.keyBytesMax ~= key.utf8.count else { throw .keyTooLong }
        return StagedKey(name: KeyName(uid: dispatch.origin, key: ExactText(key)), digest: pending.digest(of: dispatch.actions))
    }

    func answer(to key: StagedKey) throws(StoreError) -> Acknowledgement<App.Command>? {
        if let staged = pending.keys[key.name] {
            guard staged.digest == key.digest else { throw .keyReused }
            var first = staged.answer
            first.isDuplicate = true
            return first
        }
        guard let row = try StoreError.reading({ () throws(ActionLogError) in try log.key(key.name.key.text, of: key.name.uid) })
        else { return nil }
        guard row.digest == key.digest else { throw .keyReused }
        let sequences = row.first == 0 ? 0..<0 : row.first..<row.last + 1
        return Acknowledgement(
            epoch: staged.epoch, sequences: sequences, ids: row.ids, isDuplicate: true,
            presentations: try presentations(of: sequences))
    }

    private func presentations(of sequences: Range<UInt64>) throws(StoreError) -> [App.Command] {
        guard let first = sequences.first, let last = sequences.last, first >= log.first else { return [] }
        var calls: [CommandCall] = []
        try StoreError.reading { () throws(ActionLogError) in
            _ = try log.read(from: first, through: last) { header, _ in
                calls += header.commands.filter { $0.presentational }
                return true
            }
        }
        var commands: [App.Command] = []
        for call in calls {
            do throws(CanonicalError) { commands.append(try App.Command(canonical: call.arguments)) } catch {
                throw .damaged(sequence: first, "the command \(call.name) can't be read: \(error.reason)")
            }
        }
        return commands
    }

    private func checkExpectations(of dispatch: Dispatch<App.Action>) throws(StoreError) {
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
        if let step = dispatch.step {
            guard try isStep(step, of: dispatch.origin) else { throw .unknownStep(step) }
        }
    }

    private func isStep(_ step: UInt64, of origin: UInt32) throws(StoreError) -> Bool {
        guard step >= log.first, step <= log.head.sequence else { return false }
        var found = false
        try StoreError.reading { () throws(ActionLogError) in
            _ = try log.read(from: step, through: step) { header, _ in
                found = header.step == step && header.origin == origin
                return true
            }
        }
        return found
    }
}
