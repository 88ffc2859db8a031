public import Chronicle
public import ChronicleLog
import Synchronization

/// Owns the state of a daemon and is its only writer.
///
/// Decides on the staged state, commits in batches, then publishes the new state and replies. Neither deciding nor committing suspends.
/// Each reply waits for the commit that it depends on. Reads never enter the store.
public actor Store<App: Feature>
where App.State: CanonicalCodable, App.Action: CanonicalCodable, App.Command: CanonicalCodable {
    /// Receives the answer to a dispatch on the store's thread: must not block.
    public typealias Reply = @Sendable (Result<DispatchResult<App.Command>, StoreError>) -> Void

    enum Call: Sendable {
        case dispatch(Dispatch<App.Action>, Reply)
        case order(CommandOrder<App.Action>, Reply)
        /// A rare operation, boxed in a closure because it is not on the hot path.
        case task(@Sendable (isolated Store) -> Void)

    }

    /// The place of a call among the calls that wait.
    enum Position: Sendable {
        /// After the calls that wait in the store's own queue.
        case inOrder
        /// Before all others, regardless of limits.
        case next
        /// After all others, regardless of limits.
        case afterAll
        /// The same, and no call comes later.
        case last
    }

    /// The thread for reading, folding and comparing.
    public nonisolated let queries: QueryThread
    nonisolated let publisher: StatePublisher<App.State>
    nonisolated let fanOut: SubscriberGroup<App>
    nonisolated let commandReader = CommandReader<App.Command>()
    /// The log, which only the store may append to.
    public nonisolated let log: any ActionLog
    nonisolated let options: StoreOptions
    nonisolated let statistics = Statistics()
    nonisolated let inbox = Inbox<Call>()
    nonisolated let thread = SerialThread(name: "store")
    // A closure made in `init` is specialized for the app. A method is not: it would look up type metadata at each dispatch.
    private nonisolated let send: @Sendable (Dispatch<App.Action>, @escaping Reply) -> Void

    var stagedLog: StagedLog<App>
    var listener: CommandListener<App.Command>?
    nonisolated let snapshots: SnapshotWriter<App.State>?
    // The calls being processed; keeps its capacity for the next ones.
    private var taken: [Call?] = []
    // The dispatches that a flush may expect: those that the last one answered, and those that waited then.
    private var expected = 0
    // The uid of all calls in the flush; `nil`: several, or the store itself.
    private var stagedFor: UInt32?
    /// The decisions of the pending answers, for repeating them; only used for a shared log.
    var judgements: [Judgement] = []
    /// The state at sequence 0.
    public nonisolated let initial: App.State
    nonisolated let onRedaction = Mutex<(@Sendable () -> Void)?>(nil)
    nonisolated let following = Mutex(FollowState())
    /// An event of other machines that could not be read from the copy yet.
    var untaken: ReplicationEvent?
    /// Whether a notification of appends is pending.
    nonisolated let hasNews = AtomicFlag()
    private var lastAnswerTime: UInt64 = 0
    var lastFlushTime: UInt64 = 0
    /// When the first of the pending dispatches arrived.
    var waitingSince: UInt64 = 0
    /// The cost of the next slice of calls; reduced after slow slices.
    private var sliceCostMax = Limits.sliceCostMax
    private var slowSlices = 0

    /// The store's own thread.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    /// Continues from a recovered state.
    public init(_ recovered: RecoveryResult<App>, log: any ActionLog, options: StoreOptions, snapshots: SnapshotStore? = nil) {
        queries = QueryThread()
        publisher = StatePublisher(recovered.present, waker: queries.thread)
        fanOut = SubscriberGroup(of: publisher, log: log)
        self.log = log
        self.options = options
        stagedLog = StagedLog(recovered, log: log, options: options)
        initial = recovered.initial
        send = { [inbox, thread] dispatch, reply in
            let bytes = dispatch.waitingBytes
            let entry = inbox.add(.dispatch(dispatch, reply), of: dispatch.origin, bytes: bytes, cost: dispatch.cost)
            Self.signal(thread, entry) { reply(.failure($0)) }
        }
        statistics.note(stagedLog.outbox)
        self.snapshots = snapshots.map {
            SnapshotWriter(
                $0, of: log, fingerprint: options.fingerprint, after: recovered.snapshot, freeBytesMin: options.freeBytesMin,
                onSnapshot: options.onSnapshot)
        }
        queries.thread.onSignal { [weak publisher, weak fanOut] in
            publisher?.wake()
            fanOut?.advance()
        }
        thread.onSignal { [weak self] in self?.assumeIsolated { $0.drain() } }
    }

    // A store that is dropped without being stopped must not leak its thread.
    deinit { thread.end() }

    /// Enqueues a dispatch; callable from any thread, does not block.
    ///
    /// Calls of one uid are decided in the order of arrival; uids take turns. `complete` finishes a partial answer; a call that continues
    /// an old step is decided only then.
    public nonisolated func enqueue(_ dispatch: Dispatch<App.Action>, reply: @escaping Reply) { send(dispatch, reply) }

    @inline(__always)
    static func signal(_ thread: SerialThread, _ entry: InboxEntry, refuse: (StoreError) -> Void) {
        switch entry {
        case .waiting(wake: true): thread.signal()
        case .waiting(wake: false): break
        case .full: refuse(.busy)
        case .closed: refuse(.stopping)
        }
    }

    /// Runs a body in order with the dispatches, and waits until its answer is on disk.
    /// - Parameters:
    ///   - uid: the owner of the queue; `nil` for the queue of the store itself.
    ///   - exclusive: whether the call gets its own flush, so that its failure does not fail other calls.
    ///   - kind: how the call appears in the counters.
    nonisolated func perform(
        for uid: UInt32? = nil, exclusive: Bool = false, counting kind: CommitBatch<App>.Waiting.Kind = .order,
        _ stage: @escaping Judgement
    ) async throws(StoreError) -> DispatchResult<App.Command> {
        try await withCheckedContinuation { continuation in
            let reply: Reply = { continuation.resume(returning: $0) }
            let call = Call.task { store in
                if exclusive { store.commit() }
                store.makeRoom(for: uid)
                store.respond(reply, kind) { () throws(StoreError) in try stage(store) }
                if store.isShared { store.judgements.append(stage) }
                if exclusive { store.commit() }
            }
            Self.signal(thread, inbox.add(call, of: uid, cost: Limits.sliceCostMax)) { reply(.failure($0)) }
        }.get()
    }

    /// Commits, then runs a body on the store's thread, and waits for its result.
    /// - Throws: `.stopping`; `.busy` if the call is in order.
    @discardableResult
    nonisolated func run<Value: Sendable>(
        _ position: Position, _ body: @escaping @Sendable (isolated Store) -> Value
    ) async throws(StoreError) -> Value {
        let result: Result<Value, StoreError> = await withCheckedContinuation { continuation in
            let call = Call.task { store in
                store.commit()
                continuation.resume(returning: .success(body(store)))
            }
            let entry =
                switch position {
                case .inOrder: inbox.add(call, cost: Limits.sliceCostMax)
                case .next: inbox.insist(next: call)
                case .afterAll: inbox.insist(afterAll: call)
                case .last: inbox.insist(afterAll: call, closing: true)
                }
            Self.signal(thread, entry) { continuation.resume(returning: .failure($0)) }
        }
        return try result.get()
    }

    /// Dispatches and waits until the answer is on disk.
    public nonisolated func dispatch(_ dispatch: Dispatch<App.Action>) async throws(StoreError) -> DispatchResult<App.Command> {
        let answer = try await withCheckedContinuation { continuation in
            enqueue(dispatch) { continuation.resume(returning: $0) }
        }.get()
        return try await complete(answer)
    }

    /// Waits until the store has committed its current batch, regardless of the queue, for the watchdog.
    public nonisolated func heartbeat() async { try? await run(.next) { _ in } }

    /// The state after the last flush.
    public nonisolated var present: CommittedState<App.State> { publisher.present }

    /// Refuses new dispatches, finishes waiting ones, ends subscriptions and writes a snapshot.
    ///
    /// Afterwards no thread of the store uses the log, so the caller may open it again.
    public nonisolated func stop() async {
        try? await run(.last) { _ in }
        publisher.end()
        commandReader.end()
        if let snapshots { await snapshots.finish(with: present, head: log.head) }
        thread.end()
        await thread.settle()
        // Ending the publisher has resumed the tasks that wait for a state.
        await queries.thread.settle()
    }

    /// For a simulation: waits until the store has committed everything, and keeps later calls waiting until `release()`.
    package nonisolated func hold() async { await inbox.hold() }

    package nonisolated func release() { thread.signal() }

    private func drain() {
        while let slice = inbox.take(&taken, isIdle: stagedLog.pending.answers.isEmpty, costMax: sliceCostMax) {
            let begin = monotonicNanoseconds()
            if stagedLog.pending.answers.isEmpty { waitingSince = slice.since }
            // Moved out: a copy of a call would retain everything that it refers to.
            for index in taken.indices {
                guard let call = taken[index].take() else { continue }
                switch consume call {
                case .dispatch(let dispatch, let reply):
                    makeRoom(for: dispatch.origin, cost: dispatch.cost)
                    options.crashPoints.pass(.beforeAccept)
                    respond(reply, .dispatch) { () throws(StoreError) in try stageDispatch(dispatch) }
                    if isShared { judgements.append(Self.judgement(of: dispatch)) }
                case .order(let order, let reply):
                    makeRoom(for: order.origin)
                    respond(reply, .order) { () throws(StoreError) in try stageCommandOrder(order) }
                    if isShared { judgements.append(Self.judgement(of: order)) }
                case .task(let work): work(self)
                }
            }
            taken.empty(keepingAtMost: Flush.roomEntriesMax)
            // The cost of a call is an estimate; some actions take a thousand times as long as others. A single slow slice may be chance.
            slowSlices = monotonicNanoseconds() - begin > Limits.acceptingNanosecondsMax ? slowSlices + 1 : 0
            sliceCostMax = slowSlices > 1 ? max(1, sliceCostMax / 2) : min(2 * sliceCostMax, Limits.sliceCostMax)
            if !(slice.endsRound ? gather() : hasTime) { commit() }
        }
    }

    /// Commits first if the flush is full, or if calls of other uids in it would wait for a large batch.
    @inline(__always)
    private func makeRoom(for uid: UInt32?, cost: Int = 1) {
        if stagedLog.pending.isFull || cost >= Limits.sliceCostMax && stagedFor != uid { commit() }
        stagedFor = stagedLog.pending.answers.isEmpty || stagedFor == uid ? uid : nil
    }

    /// Whether more calls may be accepted before the commit.
    private var hasTime: Bool {
        monotonicNanoseconds() < max(lastAnswerTime, waitingSince) + gathering.nanosecondsMax + Limits.acceptingNanosecondsMax
    }

    private var gathering: (countMax: Int, nanosecondsMax: UInt64) {
        isShared
            ? (Limits.sharedGatheringMax, min(lastFlushTime, UInt64(Limits.sharedGatheringNanosecondsMax)))
            : (Limits.gatheringMax, UInt64(Limits.gatheringNanosecondsMax))
    }

    /// Keeps an answer until its records are on disk.
    private func respond(
        _ reply: @escaping Reply, _ kind: CommitBatch<App>.Waiting.Kind,
        _ stage: () throws(StoreError) -> DispatchResult<App.Command>
    ) {
        let result = Result(catching: stage)
        stagedLog.pending.answers.append(.init(kind: kind, reply: reply, result: result))
    }

    func stageCommandOrder(_ order: CommandOrder<App.Action>) throws(StoreError) -> DispatchResult<App.Command> {
        do {
            let answer = try stagedLog.stageCommandOrder(order)
            if case .piece = order, answer.sequences.isEmpty { statistics.repeatedPieces.add(1, ordering: .relaxed) }
            return answer
        } catch {
            if case .commandClosed = error {
                switch order {
                case .end, .fail, .piece: statistics.lateEnds.add(1, ordering: .relaxed)
                default: break
                }
            }
            throw error
        }
    }

    // Clients that were just answered are about to send again. An immediate flush would find half of them, and all would wait for two
    // commits. A short wait, only for as many as were answered or waiting, completes batches. Arrivals are accepted during the wait. A
    // single client never waits.
    private func gather() -> Bool {
        let missing = min(expected, gathering.countMax) - stagedLog.pending.answers.count
        guard missing > 0, !stagedLog.pending.answers.isEmpty, !stagedLog.pending.isFull, hasTime else { return false }
        let deadline = lastAnswerTime + gathering.nanosecondsMax
        while !inbox.holds(min(missing, Limits.gatheringStepMax)) {
            let now = monotonicNanoseconds()
            guard now < deadline else { return inbox.count > 0 }
            thread.sleep(atMost: Int(deadline - now))
            thread.clearSignal()
        }
        return true
    }

    func noteAnswers(_ count: Int) {
        expected = count + inbox.count
        lastAnswerTime = monotonicNanoseconds()
    }
}

extension Store {
    /// Commits the batch, publishes the new state, then replies: the only commit point.
    func commit() { commit(until: stagedLog.shared?.deadlineFromNow ?? .max) }

    /// Commits until a deadline in nanoseconds of the monotonic clock; a log that is not shared ignores it.
    func commit(until deadline: UInt64) {
        defer {
            stagedLog.pending.restart(after: log.head)
            if !judgements.isEmpty { judgements = [] }
        }
        guard !stagedLog.pending.answers.isEmpty else { return }
        var failure = write(until: deadline)
        if let error = failure, stagedLog.shared != nil { failure = commitAnew(after: error, until: deadline) }
        // Counted before the replies, so that a client with an answer finds it counted, and after the last decision: a decision on a
        // state that others have changed is repeated.
        let (count, refused) = stagedLog.pending.counts
        statistics.dispatches.add(UInt64(count), ordering: .relaxed)
        if failure == nil { statistics.refused.add(UInt64(refused), ordering: .relaxed) }
        let now = monotonicNanoseconds()
        statistics.dispatchTimes.record(nanoseconds: now - min(waitingSince, now), count: count)
        if let failure {
            // All decisions on the staged state are void, including refusals.
            stagedLog.rollBack(to: publisher.present)
            stagedLog.pending.fail(with: StoreError(failure))
        } else {
            stagedLog.noteCommitted()
            if stagedLog.shared != nil, !stagedLog.pending.flush.isEmpty { note(obstacle: nil) }
            stagedLog.pending.answer()
            if stagedLog.outbox.mark > 0 { tellOfCommands() }
            if let snapshots { snapshots.offer(at: stagedLog.staged.sequence) { (stagedLog.staged, log.head) } }
        }
        noteAnswers(count)
    }

    func write(until deadline: UInt64) -> ActionLogError? {
        guard !stagedLog.pending.flush.isEmpty else { return stagedLog.pending.isSettled ? nil : readIndex(until: deadline) }
        options.crashPoints.pass(.beforeCommit)
        let start = monotonicNanoseconds()
        do {
            if let shared = stagedLog.shared {
                try shared.append(stagedLog.pending.flush, until: deadline)
            } else {
                try stagedLog.pending.write(to: log)
            }
        } catch {
            statistics.failedFlushes.add(1, ordering: .relaxed)
            if case .unknownOutcome(let what) = error { options.onUnknownOutcome(what) }
            return error
        }
        options.crashPoints.pass(.afterCommit)
        if stagedLog.pending.endCount > 0 { options.crashPoints.pass(.afterEndCommit) }
        statistics.flushes.add(1, ordering: .relaxed)
        lastFlushTime = monotonicNanoseconds() - start
        statistics.flushTimes.record(nanoseconds: lastFlushTime)
        statistics.records.add(UInt64(stagedLog.pending.flush.recordCount), ordering: .relaxed)
        if stagedLog.outbox.mark > 0 {
            statistics.note(stagedLog.outbox)
            statistics.rateParked.store(stagedLog.rateGuard.refused, ordering: .relaxed)
        }
        stagedLog.pending.whenBegun?()
        if stagedLog.pending.isNews { publisher.publish(stagedLog.staged) }
        return nil
    }

    func tellOfCommands() {
        let changes = stagedLog.outbox.takeChanges()
        guard !changes.isEmpty else { return }
        listener?(changes)
        commandReader.notify()
    }
}
