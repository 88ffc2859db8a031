import Synchronization

/// The one thread for all reading, folding, comparing and large encoding that is not a dispatch.
///
/// Queries take turns: whoever has computed for a slice lets the others go on. Long ones have a lane of their own, of which the
/// thread does one slice between two rounds of short ones; so a short one never waits for more than a slice of them.
public final class QueryThread: Sendable {
    /// How long a query may take.
    public enum Length: Sendable, CaseIterable {
        /// A state, a view, a page of the log: people wait for it.
        case short
        /// What goes through all of history, or evaluates what somebody wrote.
        case long
    }

    /// The uid of the peer whose call this task answers; `nil` for what the daemon does by itself.
    @TaskLocal public static var asker: UInt32?

    /// The thread, whose signal also wakes subscribers.
    let thread = SerialThread(name: "queries")
    /// How long queries of each length took, from admission to the end; of those that are answered in pieces, the first.
    public let times: [Length: LatencyHistogram] = [.short: LatencyHistogram(), .long: LatencyHistogram()]
    private let short: Queries
    private let long: Queries
    private let places = Mutex<[Length: QueryPlaces]>([.short: QueryPlaces(), .long: QueryPlaces()])
    // Those who wait for a state that has not come yet.
    private let waiting = Mutex(QueryPlaces())
    private let lastNumber = Atomic<UInt64>(0)

    /// Starts the thread; a store has its own.
    public init() {
        short = Queries(on: thread)
        long = Queries(on: SecondLane(of: thread))
    }

    deinit { thread.end() }

    /// Runs a query for a uid.
    ///
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

    /// Goes on with an answer that has begun: waits for a place among the queries of whoever asks, and is never refused one.
    ///
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
        let leave = { @Sendable in
            self.places.withLock { $0[length]?.leave(number) }?.resume(returning: false)
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                places.withLock { $0[length]?.goOn(asker, number, waiter) }?.resume(returning: true)
                // Who was cancelled before waits for nobody.
                if Task.isCancelled { leave() }
            }
        } onCancel: {
            leave()
        }
    }

    private func free(_ length: Length, _ asker: UInt32?) {
        places.withLock { $0[length]?.end(asker) }?.resume(returning: true)
    }

    /// Waits, off the thread, for a state that has not come yet.
    ///
    /// - Throws: `StoreError.queryBusy` when `Limits.waitingReadsOfAskerMax` reads of this uid wait.
    func wait<Result: Sendable>(
        by asker: UInt32? = QueryThread.asker, _ body: () async -> Result
    ) async throws(StoreError) -> Result {
        guard waiting.withLock({ $0.begin(asker, max: Limits.waitingReadsOfAskerMax) }) else { throw .queryBusy }
        defer { _ = waiting.withLock { $0.end(asker) } }
        return await body()
    }

    /// Runs a piece of what was admitted before, and of a subscription, which is for as long as it lives.
    public func perform<Result: Sendable>(
        _ length: Length = .short,
        _ body: @Sendable (isolated Queries) async throws(StoreError) -> Result
    ) async throws(StoreError) -> Result {
        try await (length == .short ? short : long).perform(body)
    }
}
