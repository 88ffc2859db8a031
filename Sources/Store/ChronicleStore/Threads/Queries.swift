public import Chronicle

/// The queries of one priority of the query thread; long loops call `yieldIfNeeded()`.
///
/// A query ends when its task is cancelled.
public actor Queries {
    private nonisolated let executor: any SerialExecutor
    private var sliceStart: UInt64 = 0
    /// The queries' cache of lists.
    public let memory = ListMemory()

    /// The executor of this priority.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(on executor: any SerialExecutor) { self.executor = executor }

    func perform<Result: Sendable>(
        _ body: @Sendable (isolated Queries) async throws(StoreError) -> Result
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
final class SecondLane: SerialExecutor, Sendable {
    private let thread: SerialThread

    init(of thread: SerialThread) { self.thread = thread }

    func enqueue(_ job: consuming ExecutorJob) { thread.enqueueLast(job, of: self) }

    func checkIsolated() { thread.checkIsolated() }

    func isIsolatingCurrentContext() -> Bool? { thread.isIsolatingCurrentContext() }
}
