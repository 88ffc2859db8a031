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
    private let places = Mutex<[Length: AdmissionControl]>([.short: AdmissionControl(), .long: AdmissionControl()])
    // Reads that wait for a future state.
    private let waiting = Mutex(AdmissionControl())
    private let lastNumber = Atomic<UInt64>(0)

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
        guard places.withLock({ $0[length]?.begin(asker, max: Limits.queriesOfAskerMax) ?? false }) else { throw .queryBusy }
        let start = monotonicNanoseconds()
        defer {
            times[length]?.record(nanoseconds: monotonicNanoseconds() - start)
            free(length, asker)
        }
        return try await perform(length, body)
    }

    /// Continues an answer: waits for admission and is never refused.
    /// - Throws: `StoreError.stopping` when the task was cancelled.
    public func goOn<Result: Sendable>(
        _ length: Length, by asker: UInt32? = QueryThread.asker,
        _ body: @Sendable (isolated QueryExecutor) async throws(StoreError) -> Result
    ) async throws(StoreError) -> Result {
        guard await place(length, asker) else { throw .stopping }
        defer { free(length, asker) }
        return try await perform(length, body)
    }

    private func place(_ length: Length, _ asker: UInt32?) async -> Bool {
        let number = lastNumber.add(1, ordering: .relaxed).newValue
        let leave = { @Sendable in self.places.withLock { $0[length]?.leave(number) }?.resume(returning: false) }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                places.withLock { $0[length]?.goOn(asker, number, waiter) }?.resume(returning: true)
                // A task that is already cancelled must not wait.
                if Task.isCancelled { leave() }
            }
        } onCancel: {
            leave()
        }
    }

    private func free(_ length: Length, _ asker: UInt32?) { places.withLock { $0[length]?.end(asker) }?.resume(returning: true) }

    /// Waits, off the thread, for a future state.
    /// - Throws: `StoreError.queryBusy` when `Limits.waitingReadsOfAskerMax` reads of this uid wait.
    func wait<Result: Sendable>(
        by asker: UInt32? = QueryThread.asker, _ body: () async -> Result
    ) async throws(StoreError) -> Result {
        guard waiting.withLock({ $0.begin(asker, max: Limits.waitingReadsOfAskerMax) }) else { throw .queryBusy }
        defer { _ = waiting.withLock { $0.end(asker) } }
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

/// Limits the queries of each uid; a new one may be refused, but one that continues an answer waits, so that every answer can end.
struct AdmissionControl {
    /// Resumed with whether the query is admitted; `false` if it no longer waits.
    typealias Waiter = CheckedContinuation<Bool, Never>

    private var ofAsker: [UInt32?: Int] = [:]
    private var waiting: [(asker: UInt32?, number: UInt64, waiter: Waiter)] = []

    mutating func begin(_ asker: UInt32?, max: Int) -> Bool {
        guard ofAsker[asker, default: 0] < max else { return false }
        ofAsker[asker, default: 0] += 1
        return true
    }

    mutating func goOn(_ asker: UInt32?, _ number: UInt64, _ waiter: Waiter) -> Waiter? {
        guard ofAsker[asker, default: 0] < Limits.queriesOfAskerMax else {
            waiting.append((asker, number, waiter))
            return nil
        }
        ofAsker[asker, default: 0] += 1
        return waiter
    }

    mutating func leave(_ number: UInt64) -> Waiter? {
        waiting.firstIndex { $0.number == number }.map { waiting.remove(at: $0).waiter }
    }

    /// Frees a place, or hands it to the longest waiter of that uid.
    mutating func end(_ asker: UInt32?) -> Waiter? {
        if let next = waiting.firstIndex(where: { $0.asker == asker }) { return waiting.remove(at: next).waiter }
        let left = ofAsker[asker, default: 1] - 1
        ofAsker[asker] = left == 0 ? nil : left
        return nil
    }
}

/// A flag shared by threads: a class, because the compiler can't build a store that contains its atomic value.
final class AtomicFlag: Sendable {
    let isSet = Atomic<Bool>(false)
}
