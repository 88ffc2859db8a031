import Glibc
import Synchronization

/// The one thread for all reading, folding, comparing and large encoding that is not a dispatch.
///
/// Queries take turns: whoever has computed for a slice lets the others go on. A query ends when its task is cancelled.
public actor Queries {
    /// The thread, whose signal also wakes subscribers.
    nonisolated let thread = SerialThread(name: "queries")
    private let running = Mutex(0)
    private var sliceStart: UInt64 = 0

    /// The actor's thread.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    /// Starts the thread; a store has its own.
    public init() {}

    deinit { thread.end() }

    /// Runs a query if not too many wait already.
    ///
    /// - Throws: `StoreError.queryBusy` when `Limits.queriesMax` run or wait.
    public nonisolated func admit<Result: Sendable>(
        _ body: @Sendable (isolated Queries) async throws(StoreError) -> Result
    ) async throws(StoreError) -> Result {
        let admitted = running.withLock { count in
            guard count < Limits.queriesMax else { return false }
            count += 1
            return true
        }
        guard admitted else { throw .queryBusy }
        defer { running.withLock { $0 -= 1 } }
        return try await perform(body)
    }

    /// Runs a piece of a subscription, which is admitted once and for as long as it lives.
    public func perform<Result: Sendable>(
        _ body: @Sendable (isolated Queries) async throws(StoreError) -> Result
    ) async throws(StoreError) -> Result {
        sliceStart = monotonicNanoseconds()
        return try await body(self)
    }

    /// Lets others go on if the slice is used up; long loops call it once per page.
    ///
    /// - Throws: `StoreError.stopping` when the task was cancelled.
    public func breathe() async throws(StoreError) {
        if Task.isCancelled { throw .stopping }
        guard monotonicNanoseconds() - sliceStart > Limits.querySliceNanoseconds else { return }
        await Task.yield()
        sliceStart = monotonicNanoseconds()
    }
}

func monotonicNanoseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}
