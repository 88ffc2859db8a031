public import Chronicle
import Synchronization

/// The one thread for all reading, folding, comparing and large encoding outside of dispatches.
///
/// Queries share it in time slices; one slice of the long ones runs between two rounds of short ones, so these wait for one at most.
public final class QueryThread: Sendable {
    public enum Length: Sendable, CaseIterable {
        /// A state, a view, or a page of the log, for interactive use.
        case short
        /// A scan of the history, or the evaluation of a user's expression.
        case long
    }

    /// The uid of the peer whose call this task answers; `nil` for the daemon's own work.
    @TaskLocal public static var asker: UInt32?

    let thread = SerialThread(name: "queries")
    /// Durations of queries by length, from admission to the end; for answers in pieces, of the first piece.
    public let times: [Length: LatencyHistogram] = [.short: LatencyHistogram(), .long: LatencyHistogram()]
    private let short: QueryExecutor
    private let long: QueryExecutor
    private let counts = (short: Monitor(QueryCounts()), long: Monitor(QueryCounts()))
    // Reads that wait for a future state.
    private let waiting = Monitor(QueryCounts())

    public init() {
        short = QueryExecutor(on: thread)
        long = QueryExecutor(on: LowPriorityExecutor(of: thread))
    }

    deinit { thread.end() }

    /// - Throws: `StoreError.queryBusy` when `Limits.queriesOfAskerMax` queries of this length and uid run or are queued.
    public func admit<Result: Sendable>(
        _ length: Length, by asker: UInt32? = QueryThread.asker,
        _ body: @Sendable (isolated QueryExecutor) async throws(StoreError) -> Result
    ) async throws(StoreError) -> Result {
        let running = running(length)
        guard running.withLock({ $0.begin(asker, max: Limits.queriesOfAskerMax) }) else { throw .queryBusy }
        let start = monotonicNanoseconds()
        defer {
            times[length]?.record(nanoseconds: monotonicNanoseconds() - start)
            running.withLock { $0.end(asker) }
        }
        return try await perform(length, body)
    }

    private func running(_ length: Length) -> Monitor<QueryCounts> { length == .short ? counts.short : counts.long }

    /// Continues an answer: waits for admission and is never refused.
    /// - Throws: `StoreError.stopping` when the task was cancelled.
    public func goOn<Result: Sendable>(
        _ length: Length, by asker: UInt32? = QueryThread.asker,
        _ body: @Sendable (isolated QueryExecutor) async throws(StoreError) -> Result
    ) async throws(StoreError) -> Result {
        let running = running(length)
        let isAdmitted = await running.waitUnlessCancelled { $0.begin(asker, max: Limits.queriesOfAskerMax) ? true : nil }
        guard isAdmitted != nil else { throw .stopping }
        defer { running.withLock { $0.end(asker) } }
        return try await perform(length, body)
    }

    /// Waits, off the thread, for a future state.
    /// - Throws: `StoreError.queryBusy` when `Limits.waitingReadsOfAskerMax` reads of this uid wait.
    func wait<Result: Sendable>(
        by asker: UInt32? = QueryThread.asker, _ body: () async -> Result
    ) async throws(StoreError) -> Result {
        guard waiting.withLock({ $0.begin(asker, max: Limits.waitingReadsOfAskerMax) }) else { throw .queryBusy }
        defer { waiting.withLock { $0.end(asker) } }
        return await body()
    }

    /// Runs a part of an admitted query, or of a subscription.
    public func perform<Result: Sendable>(
        _ length: Length = .short,
        _ body: @Sendable (isolated QueryExecutor) async throws(StoreError) -> Result
    ) async throws(StoreError) -> Result {
        try await (length == .short ? short : long).perform(body)
    }
}

/// The queries of one priority of the query thread; long loops call `yieldIfNeeded()`, which ends the query of a cancelled task.
public actor QueryExecutor {
    private nonisolated let executor: any SerialExecutor
    private var sliceStart: UInt64 = 0
    public let memory = ListMemory()

    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(on executor: any SerialExecutor) { self.executor = executor }

    func perform<Result: Sendable>(
        _ body: @Sendable (isolated QueryExecutor) async throws(StoreError) -> Result
    ) async throws(StoreError) -> Result {
        sliceStart = monotonicNanoseconds()
        return try await body(self)
    }

    /// Lets others run if the time slice is used up; long loops call it once per page.
    /// - Throws: `StoreError.stopping` when the task was cancelled.
    public func yieldIfNeeded() async throws(StoreError) {
        if Task.isCancelled { throw .stopping }
        guard monotonicNanoseconds() - sliceStart > Limits.querySliceNanoseconds else { return }
        await Task.yield()
        sliceStart = monotonicNanoseconds()
    }
}

/// Low-priority jobs of a thread, run one at a time after its own.
final class LowPriorityExecutor: SerialExecutor, Sendable {
    private let thread: SerialThread

    init(of thread: SerialThread) { self.thread = thread }

    func enqueue(_ job: consuming ExecutorJob) { thread.enqueueLast(job, of: self) }

    func checkIsolated() { thread.checkIsolated() }

    func isIsolatingCurrentContext() -> Bool? { thread.isIsolatingCurrentContext() }
}

/// The numbers of queries of each uid; a query that continues an answer waits for room, so that every answer can end.
private struct QueryCounts {
    private var ofAsker: [UInt32?: Int] = [:]

    /// Counts one more query; returns `false` if the uid has as many as it may have.
    mutating func begin(_ asker: UInt32?, max: Int) -> Bool {
        guard ofAsker[asker, default: 0] < max else { return false }
        ofAsker[asker, default: 0] += 1
        return true
    }

    mutating func end(_ asker: UInt32?) {
        let left = ofAsker[asker, default: 1] - 1
        ofAsker[asker] = left == 0 ? nil : left
    }
}

/// A flag shared by threads: a class, because the compiler can't build a store that contains its atomic value.
final class AtomicFlag: Sendable {
    let isSet = Atomic<Bool>(false)
}
