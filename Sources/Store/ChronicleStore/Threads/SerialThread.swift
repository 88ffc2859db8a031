import CMachine
import Synchronization

/// A thread that runs the jobs of an actor in order, and a body whenever it is signalled; concurrent signals run it once.
///
/// An LMDB write transaction must begin and end on one thread, and waiting for the disk must not block the shared pool.
public final class SerialThread: SerialExecutor, Sendable {
    private struct State: ~Copyable {
        var jobs: [UnownedJob] = []
        var lastJobs: [(job: UnownedJob, lane: LowPriorityExecutor)] = []
        var body: (@Sendable () -> Void)?
        var signalled = false
        var asleep = false
        var ended = false
        /// Calls of `settle` so far, and at the last round of the thread.
        var settleCalls: UInt64 = 0
        var knownSettleCalls: UInt64 = 0
        /// The thread id; 0 before it runs.
        var thread: UInt = 0

        var hasJobs: Bool { !jobs.isEmpty || !lastJobs.isEmpty || settleCalls > knownSettleCalls }
    }

    private let state = Mutex(State())
    /// The number of calls of `settle` that may return; the maximum once the thread has ended.
    private let settled = Monitor<UInt64>(0)
    private let wakeup: wakeup_t

    /// Starts the thread; `name` is at most 15 bytes and appears in `top`.
    public init(name: String) {
        wakeup = wakeup_create()
        precondition(wakeup != 0, "no file descriptor is left for the wakeup of thread \(name)")
        // The thread keeps the executor alive: it gets a retained reference and releases it when it ends.
        let box = Unmanaged.passRetained(ThreadStart(thread: self, name: name))
        let result = thread_start(
            { argument in
                guard let argument else { return }
                Unmanaged<ThreadStart>.fromOpaque(argument).takeRetainedValue().run()
            }, box.toOpaque())
        precondition(result == 0, "the thread \(name) can't be started: error \(result)")
    }

    deinit { wakeup_destroy(wakeup) }

    public func onSignal(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.body = body } }

    /// Schedules the body; callable from any thread, does not block.
    public func signal() { wake(if: state.withLock { Self.mark(&$0) { $0.signalled = true } }) }

    /// Ends the thread once its jobs are done; later jobs never run.
    public func end() { wake(if: state.withLock { Self.mark(&$0) { $0.ended = true } }) }

    /// Waits until all earlier jobs, except low-priority ones, and signals are done and the thread retains nothing of them.
    public func settle() async {
        let (isAsleep, number) = state.withLock { state in
            (Self.mark(&state) { $0.settleCalls += 1 }, state.settleCalls)
        }
        wake(if: isAsleep)
        await settled.wait { $0 >= number ? true : nil }
    }

    /// Sleeps until a signal or a timeout; on the thread itself.
    func sleep(atMost nanoseconds: Int) {
        let awake = state.withLock { state in
            if state.signalled || state.hasJobs { return true }
            state.asleep = true
            return false
        }
        if awake { return }
        wakeup_wait(wakeup, nanoseconds)
        state.withLock { $0.asleep = false }
    }

    /// Clears a pending signal; on the thread itself, before it does the signalled work anyway.
    func clearSignal() { state.withLock { $0.signalled = false } }

    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        wake(if: state.withLock { Self.mark(&$0) { $0.jobs.append(job) } })
    }

    /// Enqueues a low-priority job, which runs when no other job waits; other jobs run before the next one.
    func enqueueLast(_ job: consuming ExecutorJob, of lane: LowPriorityExecutor) {
        let job = UnownedJob(job)
        wake(if: state.withLock { Self.mark(&$0) { $0.lastJobs.append((job, lane)) } })
    }

    public func checkIsolated() {
        precondition(isIsolatingCurrentContext() == true, "called from a thread other than the executor's")
    }

    public func isIsolatingCurrentContext() -> Bool? { state.withLock { $0.thread == thread_current() } }

    private static func mark(_ state: inout State, _ change: (inout State) -> Void) -> Bool {
        change(&state)
        defer { state.asleep = false }
        return state.asleep
    }

    private func wake(if asleep: Bool) {
        if asleep { wakeup_ring(wakeup) }
    }

    private struct Work {
        var jobs: [UnownedJob] = []
        var last: (job: UnownedJob, lane: LowPriorityExecutor)?
        var body: (@Sendable () -> Void)?
        /// The calls of `settle` that may return after the work; `nil`: no new ones.
        var settled: UInt64?
    }

    fileprivate func run() {
        state.withLock { $0.thread = thread_current() }
        while true {
            let work = state.withLock { state -> Work? in
                if !state.hasJobs && !state.signalled {
                    if state.ended { return Work(settled: .max) }
                    state.asleep = true
                    return nil
                }
                let last = state.lastJobs.isEmpty ? nil : state.lastJobs.removeFirst()
                let settled = state.settleCalls > state.knownSettleCalls ? state.settleCalls : nil
                let work = Work(jobs: state.jobs, last: last, body: state.signalled ? state.body : nil, settled: settled)
                state.jobs.removeAll(keepingCapacity: true)
                state.knownSettleCalls = state.settleCalls
                state.signalled = false
                return work
            }
            guard let work else {
                wakeup_wait(wakeup, -1)
                state.withLock { $0.asleep = false }
                continue
            }
            for job in work.jobs { job.runSynchronously(on: asUnownedSerialExecutor()) }
            work.body?()
            // The executor lives as long as its job, because no one else may retain it.
            if let (job, lane) = work.last { job.runSynchronously(on: lane.asUnownedSerialExecutor()) }
            if let number = work.settled { settled.withLock { $0 = number } }
            if work.settled == .max { return }
        }
    }
}

private final class ThreadStart: Sendable {
    let thread: SerialThread
    let name: String

    init(thread: SerialThread, name: String) {
        self.thread = thread
        self.name = name
    }

    func run() {
        thread_prepare(name)
        thread.run()
    }
}
