public import Records
public import Reducing
import Synchronization
public import Values

/// Owns the state of a daemon and is the only way to change it.
///
/// Durable first, then visible: accept and flush never suspend; what is accepted between one dispatch's accept and its
/// flush is decided on the staged state and answered after the flush it rests on. Reads never enter the store.
public actor Store<App: Feature>
where App.State: CanonicalCodable, App.Action: CanonicalCodable, App.Command: CanonicalCodable {
    /// Gets the answer to a dispatch, on the store's thread: it must not block.
    public typealias Reply = @Sendable (Result<Acknowledgement<App.Command>, StoreError>) -> Void

    enum Call: Sendable {
        case dispatch(Dispatch<App.Action>, Reply)
        case order(CommandOrder<App.Action>, Reply)
        /// Whatever does not come by the thousand.
        case task(@Sendable (isolated Store) -> Void)

        /// Calls back when all that came before is on disk.
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
    nonisolated let fanOut: FanOut<App>
    nonisolated let commandBell = CommandBell()
    nonisolated let commandReadings = CommandReadings<App.Command>()
    nonisolated let log: any ActionLog
    nonisolated let options: StoreOptions
    nonisolated let statistics = Statistics()
    /// The subscriptions as they are on disk.
    nonisolated let standing: Mutex<Subscriptions>
    nonisolated let inbox = Inbox<Call>()
    private nonisolated let thread = SerialThread(name: "store")

    var stagedLog: StagedLog<App>
    var listener: CommandListener<App.Command>?
    nonisolated let snapshots: SnapshotWriter<App.State>?
    // The calls that are being worked through; with the room for the next ones.
    private var taken: [Call?] = []
    // How many dispatches a flush may hope for: those answered by the last one, and those that waited then.
    private var expected = 0
    // The uid of all calls in the flush; `nil`: several, or the store itself.
    private var stagedFor: UInt32?
    /// How each of those was decided who is answered next; of a log that others append to alone.
    var judgements: [Judgement] = []
    /// The state at sequence 0.
    let initial: App.State
    /// Who is told that others took something out of records.
    nonisolated let onRedaction = Mutex<(@Sendable () -> Void)?>(nil)
    /// Whether what others append is taken in.
    nonisolated let following = Mutex(Following())
    /// What others did that stands in the copy, and could not be read there yet.
    var untaken: SharedNews?
    /// Whether it is on its way to the store that others appended.
    nonisolated let hasNews = Flag()
    private var lastAnswerTime: UInt64 = 0
    /// How long the last flush took, in nanoseconds.
    var lastFlushTime: UInt64 = 0
    /// When the first came of those that are answered next.
    var waitingSince: UInt64 = 0
    /// The cost of the next slice of calls; less after one that took long.
    private var sliceCostMax = Limits.sliceCostMax
    private var slowSlices = 0

    /// The store's own thread.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    /// Goes on from a recovered state.
    public init(_ recovered: Recovered<App>, log: any ActionLog, options: StoreOptions, snapshots: SnapshotStore? = nil) {
        queries = QueryThread()
        publisher = StatePublisher(recovered.present, waker: queries.thread)
        fanOut = FanOut(of: publisher, log: log)
        self.log = log
        self.options = options
        stagedLog = StagedLog(recovered, log: log, options: options)
        initial = recovered.initial
        standing = Mutex(stagedLog.subscriptions)
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

    // Whoever drops a store without stopping it leaves no thread behind.
    deinit { thread.end() }

    /// Puts a dispatch in line; from any thread, without waiting.
    ///
    /// Calls of one uid are decided in the order of arrival; uids take turns. `complete` finishes a partial answer; a call that continues
    /// an old step is decided only then.
    public nonisolated func enqueue(_ dispatch: Dispatch<App.Action>, reply: @escaping Reply) {
        let entry = inbox.add(
            .dispatch(dispatch, reply), of: dispatch.origin, bytes: dispatch.waitingBytes, cost: dispatch.cost)
        signal(entry) { reply(.failure($0)) }
    }

    @inline(__always)
    nonisolated func signal(_ entry: InboxEntry, refuse: (StoreError) -> Void) {
        switch entry {
        case .waiting(wake: true): thread.signal()
        case .waiting(wake: false): break
        case .full: refuse(.busy)
        case .closed: refuse(.stopping)
        }
    }

    /// Does something in line with the dispatches, and waits until its answer is on disk.
    ///
    /// - Parameters:
    ///   - uid: the owner of the queue; `nil` for the queue of the store itself.
    ///   - exclusive: whether the call gets its own flush, so that its failure does not fail other calls.
    ///   - cost: about how many actions take as long.
    nonisolated func perform(
        for uid: UInt32? = nil, exclusive: Bool = false, cost: Int = Limits.sliceCostMax,
        _ accept: @escaping @Sendable (isolated Store) throws(StoreError) -> Acknowledgement<App.Command>
    ) async throws(StoreError) -> Acknowledgement<App.Command> {
        try await withCheckedContinuation { continuation in
            let reply: Reply = { continuation.resume(returning: $0) }
            let call = Call.task { $0.answer(reply, for: uid, exclusive: exclusive, accept) }
            signal(inbox.add(call, of: uid, cost: cost)) { reply(.failure($0)) }
        }.get()
    }

    private func answer(
        _ reply: @escaping Reply, for uid: UInt32?, exclusive: Bool, _ accept: @escaping Judgement
    ) {
        if exclusive { commit() }
        makeRoom(for: uid)
        stagedLog.pending.orderCount += 1
        respond(reply) { () throws(StoreError) in try accept(self) }
        if isShared { judgements.append(accept) }
        if exclusive { commit() }
    }

    /// Dispatches and waits until the answer is on disk.
    public nonisolated func dispatch(
        _ dispatch: Dispatch<App.Action>
    ) async throws(StoreError) -> Acknowledgement<App.Command> {
        let answer = try await withCheckedContinuation { continuation in
            enqueue(dispatch) { continuation.resume(returning: $0) }
        }.get()
        return try await complete(answer)
    }

    /// Waits until the store has committed its current batch, regardless of the queue, for the watchdog.
    public nonisolated func heartbeat() async {
        await withCheckedContinuation { continuation in
            signal(inbox.insist(next: .flushed { continuation.resume() })) { _ in continuation.resume() }
        }
    }

    /// Waits until the store has committed everything that was enqueued before.
    public nonisolated func probe() async {
        await withCheckedContinuation { continuation in
            signal(inbox.insist(afterAll: .flushed { continuation.resume() })) { _ in continuation.resume() }
        }
    }

    /// The state after the last flush.
    public nonisolated var present: CommittedState<App.State> { publisher.present }

    /// Takes no more dispatches, finishes those that wait, ends subscriptions and leaves a snapshot behind.
    ///
    /// Once this has returned no thread of the store holds the log any more: whoever drops the store may open it again.
    public nonisolated func stop() async {
        await withCheckedContinuation { continuation in
            let entry = inbox.insist(afterAll: .flushed { continuation.resume() }, closing: true)
            signal(entry) { _ in continuation.resume() }
        }
        publisher.end()
        commandBell.end()
        if let snapshots { await snapshots.finish(with: present, head: log.head) }
        thread.end()
        await thread.settle()
        // Those who wait for a state were woken there.
        await queries.thread.settle()
    }

    /// Keeps what is put in line waiting until `release()`; `false` while the store is at work, and nothing is kept.
    ///
    /// A simulation has nothing happen in the store while something else happens.
    package nonisolated func hold() -> Bool { inbox.hold() }

    /// Has the store take what waits.
    package nonisolated func release() { thread.signal() }

    private func drain() {
        while let slice = inbox.take(&taken, isIdle: stagedLog.pending.answers.isEmpty, costMax: sliceCostMax) {
            let begin = monotonicNanoseconds()
            if stagedLog.pending.answers.isEmpty { waitingSince = slice.since }
            // Taken out, and not looked at: a copy of a call holds on to all that it refers to, which another thread made.
            for index in taken.indices {
                guard let call = taken[index].take() else { continue }
                switch consume call {
                case .dispatch(let dispatch, let reply):
                    makeRoom(for: dispatch.origin, cost: dispatch.cost)
                    options.crashPoints.pass(.beforeAccept)
                    respond(reply) { () throws(StoreError) in
                        try counted { () throws(StoreError) in try accept(dispatch) }
                    }
                    if isShared { judgements.append(Self.judgement(of: dispatch)) }
                case .order(let order, let reply):
                    makeRoom(for: order.origin)
                    stagedLog.pending.orderCount += 1
                    respond(reply) { () throws(StoreError) in try accept(order) }
                    if isShared { judgements.append(Self.judgement(of: order)) }
                case .task(let work): work(self)
                }
            }
            taken.empty(keepingAtMost: Flush.roomEntriesMax)
            // The cost of a call is an estimate; some actions take a thousand times as long as others.
            // One slow slice may be chance.
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

    /// Keeps an answer until what it rests on is on disk.
    private func respond(_ reply: @escaping Reply, _ accept: () throws(StoreError) -> Acknowledgement<App.Command>) {
        let result = Result(catching: accept)
        stagedLog.pending.answers.append(.init(reply: reply, result: result))
    }

    /// Counts a refusal.
    func counted<Value>(_ accept: () throws(StoreError) -> Value) throws(StoreError) -> Value {
        do { return try accept() } catch {
            noteRefusal(error)
            throw error
        }
    }

    nonisolated func noteRefusal(_ error: StoreError) {
        // Who was too late looks again; that is between the two of us, and no refusal.
        if error != .overtaken, error != .wentOn { statistics.refused.add(1, ordering: .relaxed) }
    }

    func accept(_ order: CommandOrder<App.Action>) throws(StoreError) -> Acknowledgement<App.Command> {
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

    // Callers who were just answered are on their way back. A flush that starts at once finds half of them, and everybody
    // then waits for two commits; waiting a little, only for as many as were answered or waiting then, makes batches
    // whole. What has come is accepted meanwhile. Who is alone never waits.
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
