public import Reducing

/// The queries of one lane of the query thread; long loops call `yieldIfNeeded()`.
///
/// A query ends when its task is cancelled.
public actor Queries {
    private nonisolated let executor: any SerialExecutor
    private var sliceStart: UInt64 = 0
    /// What these queries keep of the lists that they look through.
    public let memory = ListMemory()

    /// The lane.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(on executor: any SerialExecutor) { self.executor = executor }

    func perform<Result: Sendable>(
        _ body: @Sendable (isolated Queries) async throws(StoreError) -> Result
    ) async throws(StoreError) -> Result {
        sliceStart = monotonicNanoseconds()
        return try await body(self)
    }

    /// Lets others go on if the slice is used up; long loops call it once per page.
    ///
    /// - Throws: `StoreError.stopping` when the task was cancelled.
    public func yieldIfNeeded() async throws(StoreError) {
        if Task.isCancelled { throw .stopping }
        guard monotonicNanoseconds() - sliceStart > Limits.querySliceNanoseconds else { return }
        await Task.yield()
        sliceStart = monotonicNanoseconds()
    }
}

/// Jobs of a thread that come after its own, one at a time.
final class SecondLane: SerialExecutor, Sendable {
    private let thread: SerialThread

    init(of thread: SerialThread) { self.thread = thread }

    func enqueue(_ job: consuming ExecutorJob) { thread.enqueueLast(job, of: self) }

    func checkIsolated() { thread.checkIsolated() }

    func isIsolatingCurrentContext() -> Bool? { thread.isIsolatingCurrentContext() }
}
