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

        /// Calls back when all earlier calls are on disk.
        static func flushed(_ done: @escaping @Sendable () -> Void) -> Call {
            .task { store in
                store.commit()
                done()
            }
        }
    }

    /// The thread for reading, folding and comparing.
    public nonisolated let queries: QueryThread
    nonisolated let publisher: StatePublisher<App.State>
    nonisolated let fanOut: SubscriberGroup<App>
    nonisolated let commandChanges = ChangeSignal()
    nonisolated let commandReadings = SnapshotReader<App.Command>()
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
    ///   - cost: the approximate number of actions that take as long.
    ///   - kind: how the call appears in the counters.
    nonisolated func perform(
        for uid: UInt32? = nil, exclusive: Bool = false, cost: Int = Limits.sliceCostMax,
        counting kind: CommitBatch<App>.Waiting.Kind = .order,
        _ accept: @escaping @Sendable (isolated Store) throws(StoreError) -> DispatchResult<App.Command>
    ) async throws(StoreError) -> DispatchResult<App.Command> {
        try await withCheckedContinuation { continuation in
            let reply: Reply = { continuation.resume(returning: $0) }
            let call = Call.task { $0.answer(reply, for: uid, exclusive: exclusive, counting: kind, accept) }
            Self.signal(thread, inbox.add(call, of: uid, cost: cost)) { reply(.failure($0)) }
        }.get()
    }

    private func answer(
        _ reply: @escaping Reply, for uid: UInt32?, exclusive: Bool, counting kind: CommitBatch<App>.Waiting.Kind,
        _ accept: @escaping Judgement
    ) {
        if exclusive { commit() }
        makeRoom(for: uid)
        respond(reply, kind) { () throws(StoreError) in try accept(self) }
        if isShared { judgements.append(accept) }
        if exclusive { commit() }
    }

    /// Dispatches and waits until the answer is on disk.
    public nonisolated func dispatch(_ dispatch: Dispatch<App.Action>) async throws(StoreError) -> DispatchResult<App.Command> {
        let answer = try await withCheckedContinuation { continuation in
            enqueue(dispatch) { continuation.resume(returning: $0) }
        }.get()
        return try await complete(answer)
    }

    /// Waits until the store has committed its current batch, regardless of the queue, for the watchdog.
    public nonisolated func heartbeat() async {
        await withCheckedContinuation { continuation in
            Self.signal(thread, inbox.insist(next: .flushed { continuation.resume() })) { _ in continuation.resume() }
        }
    }

    /// Waits until the store has committed everything that was enqueued before.
    public nonisolated func probe() async {
        await withCheckedContinuation { continuation in
            Self.signal(thread, inbox.insist(afterAll: .flushed { continuation.resume() })) { _ in continuation.resume() }
        }
    }

    /// The state after the last flush.
    public nonisolated var present: CommittedState<App.State> { publisher.present }

    /// Refuses new dispatches, finishes waiting ones, ends subscriptions and writes a snapshot.
    ///
    /// Afterwards no thread of the store uses the log, so the caller may open it again.
    public nonisolated func stop() async {
        await withCheckedContinuation { continuation in
            let entry = inbox.insist(afterAll: .flushed { continuation.resume() }, closing: true)
            Self.signal(thread, entry) { _ in continuation.resume() }
        }
        publisher.end()
        commandChanges.end()
        if let snapshots { await snapshots.finish(with: present, head: log.head) }
        thread.end()
        await thread.settle()
        // Ending the publisher has resumed the tasks that wait for a state.
        await queries.thread.settle()
    }

    /// Keeps enqueued calls waiting until `release()`; returns `false`, without effect, while the store works.
    ///
    /// A simulation uses it to serialize the store with other events.
    package nonisolated func hold() -> Bool { inbox.hold() }

    /// Lets the store take the waiting calls.
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
                    respond(reply, .dispatch) { () throws(StoreError) in try accept(dispatch) }
                    if isShared { judgements.append(Self.judgement(of: dispatch)) }
                case .order(let order, let reply):
                    makeRoom(for: order.origin)
                    respond(reply, .order) { () throws(StoreError) in try accept(order) }
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
        _ accept: () throws(StoreError) -> DispatchResult<App.Command>
    ) {
        let result = Result(catching: accept)
        stagedLog.pending.answers.append(.init(kind: kind, reply: reply, result: result))
    }

    func accept(_ order: CommandOrder<App.Action>) throws(StoreError) -> DispatchResult<App.Command> {
        do {
            let answer = try stagedLog.accept(order)
            if case .piece = order, answer.sequences.isEmpty { statistics.repeatedPieces.add(1, ordering: .relaxed) }
            return answer
        } catch {
            if case .commandClosed = error {
                switch order {
                case .end, .piece: statistics.lateEnds.add(1, ordering: .relaxed)
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
