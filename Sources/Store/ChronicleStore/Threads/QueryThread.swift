import Synchronization

/// The one thread for all reading, folding, comparing and large encoding outside of dispatches.
///
/// Queries share it in time slices. Long queries have low priority: the thread runs one slice of them between two rounds of short ones, so
/// a short query waits for one slice at most.
public final class QueryThread: Sendable {
    /// The expected duration of a query.
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
    private let short: Queries
    private let long: Queries
    private let places = Mutex<[Length: QueryPlaces]>([.short: QueryPlaces(), .long: QueryPlaces()])
    // Reads that wait for a future state.
    private let waiting = Mutex(QueryPlaces())
    private let lastNumber = Atomic<UInt64>(0)

    /// Starts the thread.
    public init() {
        short = Queries(on: thread)
        long = Queries(on: SecondLane(of: thread))
    }

    deinit { thread.end() }

    /// Runs a query for a uid.
    /// - Throws: `StoreError.queryBusy` when `Limits.queriesOfAskerMax` queries of this length and uid run or are queued.
    public func admit<Result: Sendable>(
        _ length: Length, by asker: UInt32? = QueryThread.asker,
        _ body: @Sendable (isolated Queries) async throws(StoreError) -> Result
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
        _ body: @Sendable (isolated Queries) async throws(StoreError) -> Result
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
        _ body: @Sendable (isolated Queries) async throws(StoreError) -> Result
    ) async throws(StoreError) -> Result {
        try await (length == .short ? short : long).perform(body)
    }
}
