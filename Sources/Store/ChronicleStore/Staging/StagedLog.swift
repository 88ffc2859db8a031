import Chronicle
import ChronicleLog

/// A log with its staged changes, and the rules for staging more.
///
/// It uses no threads or sockets. The store changes it on its own thread only; a dry run works on a copy. Every method that
/// stages a call stages it as a whole, or throws and changes nothing.
struct StagedLog<App: Feature>: Sendable
where App.State: CanonicalCodable, App.Action: CanonicalCodable, App.Command: CanonicalCodable {
    let log: any ActionLog
    /// The same log if other machines append to it, too.
    let shared: (any SharedActionLog)?
    let options: StoreOptions
    /// The state with all staged changes; the published state is the one on disk.
    var staged: CommittedState<App.State>
    var pending: CommitBatch<App>
    var outbox: Outbox<App.Command>
    /// Whether an import is running, which alone may write.
    var isImporting = false
    /// The reason why nothing is decided any more: records of other machines can't be read.
    var obstacle: StoreError?
    var steps = StepOwnerCache()
    var rateGuard: RateGuard
    private var rateGuardOnDisk: RateGuard
    var invariants: InvariantChecker<App>
    /// The evaluation state for the state on disk, because evaluating a whole state again would hold up all calls.
    private var invariantsOnDisk: InvariantChecker<App>.Standing
    /// The number of bookmarks that each uid set last, including staged ones; `nil` if they must be counted.
    var bookmarkOwners: [UInt32?: Int]?
    /// The same on disk, because counting reads the record of each bookmark.
    private var bookmarkOwnersOnDisk: [UInt32?: Int]?

    init(_ recovered: RecoveryResult<App>, log: any ActionLog, options: StoreOptions) {
        self.log = log
        shared = log as? any SharedActionLog
        self.options = options
        staged = recovered.present
        rateGuard = RateGuard(perMinuteMax: options.commandsPerMinuteMax)
        rateGuardOnDisk = rateGuard
        invariants = recovered.invariants
        invariantsOnDisk = invariants.standing
        pending = CommitBatch(after: log.head, bytesMax: shared?.flushBytesMax ?? Limits.flushBytesMax)
        outbox = Outbox(recovered.outbox, heldThrough: log.head.heldThrough, throttles: log.head.throttles, read: Self.command)
        _ = outbox.takeChanges()
    }

    /// Refuses a write to a log that can't be written now.
    @inline(__always)
    func checkWritable() throws(StoreError) {
        guard options.access == .readWrite else { throw .readOnly }
        guard !isImporting else { throw .busy }
        if let obstacle { throw obstacle }
    }

    var nothing: DispatchResult<App.Command> {
        DispatchResult(epoch: staged.epoch, sequences: staged.sequence + 1..<staged.sequence + 1)
    }

    /// The values that a refused call restores, without the changed scopes, which are noted last.
    struct Mark {
        var state: App.State
        var sequence: UInt64
        var time: Int64
        var flush: Flush.Mark
        var outbox: Int
        var rateGuard: RateGuard
    }

    var mark: Mark {
        Mark(
            state: staged.state, sequence: staged.sequence, time: staged.time, flush: pending.flush.mark, outbox: outbox.mark,
            rateGuard: rateGuard)
    }

    mutating func rollBack(to before: Mark) {
        (staged.state, staged.sequence, staged.time) = (before.state, before.sequence, before.time)
        pending.flush.truncate(to: before.flush)
        outbox.undo(to: before.outbox)
        rateGuard = before.rateGuard
    }

    mutating func noteCommitted() {
        if !invariants.isEmpty || !invariantsOnDisk.invariants.isEmpty { invariantsOnDisk = invariants.standing }
        rateGuardOnDisk = rateGuard
        bookmarkOwnersOnDisk = bookmarkOwners
    }

    /// Others changed bookmarks, or the records that name their owners may be removed.
    mutating func forgetBookmarkOwners() { (bookmarkOwners, bookmarkOwnersOnDisk) = (nil, nil) }

    mutating func rollBack(to published: CommittedState<App.State>) {
        staged = published
        outbox.undo(to: 0)
        invariants = InvariantChecker(invariantsOnDisk)
        // Commands whose flush failed do not count. The runner requests them again every second while the disk is full.
        rateGuard = rateGuardOnDisk
        steps.forget()
        bookmarkOwners = bookmarkOwnersOnDisk
    }

    /// The scopes that changed since a state, and the change in size.
    /// - Parameter bytesMax: the size above which the state may shrink, but not grow.
    /// - Throws: `.stateFull`.
    func change(since before: App.State, bytesMax: Int = .max) throws(StoreError) -> (scopes: ScopeSet, growth: Int) {
        let scopes = App.changedScopes(from: before, to: staged.state)
        guard !scopes.isEmpty else { return (scopes, 0) }
        let growth = App.growth(from: before, to: staged.state)
        let bytes = staged.stateBytes + growth
        guard growth <= 0 || bytes <= bytesMax else { throw .stateFull(bytes: bytes, max: bytesMax) }
        return (scopes, growth)
    }

    /// Notes the changes of a call, which can't be refused any more.
    mutating func note(_ change: (scopes: ScopeSet, growth: Int)) {
        guard !change.scopes.isEmpty else { return }
        staged.note(change.scopes, at: staged.sequence)
        staged.stateBytes += change.growth
    }

    /// Folds a record into the staged state and stages it; fills in the sequence, the times and the commands of its header.
    /// - Parameters:
    ///   - action: `nil` if the record holds none.
    ///   - depth: command ends between the record and a dispatch.
    /// - Returns: the commands that it requests.
    @discardableResult
    mutating func append(
        _ action: App.Action?, _ header: consuming RecordHeader, at now: Int64, depth: UInt32, into batch: inout Batch<App>
    ) -> [App.Command] {
        place(&header, at: now)
        guard let action else {
            pending.flush.stage(header, payload: [])
            return []
        }
        let commands = App.reduce(&staged.state, action, Context(time: header.time, origin: header.origin))
        if !commands.isEmpty {
            header.commands = commands.map { CommandCall($0) }
            for command in commands { assert(command.readBackFault == nil, command.readBackFault ?? "") }
            open(commands, askedBy: header, depth: depth, into: &batch)
        }
        // Fails at the write instead of at the next start if the action can't be decoded.
        assert(action.readBackFault == nil, action.readBackFault ?? "")
        pending.stage(header, action)
        return commands
    }

    /// The time of the next record: the wall clock, but later than the last record.
    func nextTime(_ now: Int64) -> Int64 { max(now, staged.time.adding(clamping: 1)) }

    /// Assigns the next sequence and time; `rawTime` holds the wall clock if it differs.
    mutating func place(_ header: inout RecordHeader, at now: Int64) {
        staged.sequence += 1
        staged.time = nextTime(now)
        header.sequence = staged.sequence
        header.time = staged.time
        header.rawTime = staged.time == now ? nil : now
        header.node = options.node
    }

    static func command(of row: OutboxRow) -> App.Command? { try? App.Command(canonical: row.call.arguments) }
}

extension StagedLog {
    enum Verdict {
        case done(DispatchResult<App.Command>)
        /// An earlier call with the same key; the answer lacks the presentations.
        case known(DispatchResult<App.Command>)
    }

    /// Stages the records of a dispatch, or throws and changes nothing.
    /// - Returns: `nil` if the log must be read to find whether the dispatch continues a step of its uid.
    mutating func stageDispatch(_ dispatch: Dispatch<App.Action>) throws(StoreError) -> Verdict? {
        try checkWritable()
        let key = try stagedKey(dispatch.key, of: dispatch.origin) { $0.digest(of: dispatch.actions) }
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
            try finish(&batch, of: dispatch, from: before.state, scheduled)
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

    /// Stages the consequences of a dispatch and checks the resulting state.
    @inline(__always)
    private mutating func finish(
        _ batch: inout Batch<App>, of dispatch: Dispatch<App.Action>, from before: App.State,
        _ scheduled: (all: Int, own: Int)
    ) throws(StoreError) {
        if !batch.commands.isEmpty {
            try followUp(&batch)
            try checkScheduled(by: dispatch, before: scheduled)
        }
        if let requirement = dispatch.requirement { try check(requirement) }
        try checkChanges(from: before, bytesMax: options.stateBytesMax)
    }

    private mutating func stage(
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

    mutating func appendOwn(
        _ action: App.Action, _ header: consuming RecordHeader, at now: Int64, into batch: inout Batch<App>
    ) {
        let commands = append(action, header, at: now, depth: 0, into: &batch)
        if !commands.isEmpty { batch.commands += commands }
        batch.note(App.created(by: action))
    }

    /// The key of a call, with a digest of the call as it was sent.
    @inline(__always)
    mutating func stagedKey(
        _ key: String?, of uid: UInt32, _ digest: (inout CommitBatch<App>) -> UInt64
    ) throws(StoreError) -> StagedKey? {
        guard let key else { return nil }
        guard 1...Limits.keyBytesMax ~= key.utf8.count else { throw .keyTooLong }
        return StagedKey(name: KeyName(uid: uid, key: ExactText(key)), digest: digest(&pending))
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

    /// A copy of the staged state for a dry run, without the pending flush; the open commands are read later, off the store's thread.
    var forDryRun: StagedLog {
        var head = log.head
        head.sequence = staged.sequence
        head.time = staged.time
        var copy = self
        copy.pending = CommitBatch(after: head, bytesMax: pending.bytesMax)
        copy.outbox = Outbox([], heldThrough: outbox.heldThrough, throttles: outbox.throttles, read: Self.command)
        copy.steps = StepOwnerCache()
        return copy
    }

    /// Reads the open commands: those of this state that are still open.
    mutating func readOutbox() throws(StoreError) {
        let rows = try StoreError.reading { () throws(ActionLogError) in try log.outbox() }
        outbox = Outbox(
            rows.filter { $0.id.sequence <= staged.sequence }, heldThrough: outbox.heldThrough,
            throttles: outbox.throttles, read: Self.command)
        _ = outbox.takeChanges()
    }

    mutating func dryRun(
        _ dispatch: Dispatch<App.Action>, _ queries: isolated QueryExecutor
    ) async throws(StoreError) -> DispatchResult<App.Command> {
        if let step = dispatch.step {
            guard try Self.isStep(step, of: dispatch.origin, in: log) else { throw .unknownOwnStep(step) }
        }
        try checkUnlocked()
        let (before, scheduled) = (staged.state, outbox.scheduled(of: dispatch.origin))
        var batch = Batch<App>(first: staged.sequence + 1)
        let now = options.clock.wall()
        for index in dispatch.actions.indices {
            try stage(index, of: dispatch, at: now, into: &batch)
            try await queries.yieldIfNeeded()
        }
        try finish(&batch, of: dispatch, from: before, scheduled)
        guard let changes = changes(from: before) else { throw .answerTooLarge }
        let empty = batch.sequences.lowerBound..<batch.sequences.lowerBound
        return DispatchResult(
            epoch: staged.epoch, sequences: empty, ids: batch.ids, existing: batch.existing, changes: changes,
            commands: batch.standingCommands)
    }

    func changes(from before: App.State) -> [Change]? {
        guard let changes = App.changes(from: before, to: staged.state, limit: Limits.changesMax) else { return nil }
        return changes.isBounded ? changes : nil
    }

    /// Whether a record begins a step of a uid; runs on the query thread.
    static func isStep(_ step: UInt64, of origin: UInt32, in log: any ActionLog) throws(StoreError) -> Bool {
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
