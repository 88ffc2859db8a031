import StoreRuntime
import Synchronization

/// Runs tasks on a thread of its own, in the order in which they can go on, and only while it is told to.
final class SteppedExecutor: TaskExecutor {
    private struct State {
        var jobs: [UnownedJob] = []
        /// Who waits until no job is left.
        var runner: CheckedContinuation<Void, Never>?
        /// Who waits for a job.
        var waiter: CheckedContinuation<Bool, Never>?
        var isFinished = false
    }

    private let state = Mutex(State())
    private let thread = SerialThread(name: "simulation")

    init() {
        thread.onSignal { [weak self] in self?.work() }
    }

    deinit { thread.end() }

    var hasJobs: Bool { state.withLock { !$0.jobs.isEmpty } }

    /// Whether what runs on it has said that it is at its end.
    var isFinished: Bool { state.withLock { $0.isFinished } }

    /// Says that nothing more is to be waited for.
    func finish() {
        let waiter = state.withLock { state in
            state.isFinished = true
            return state.waiter.take()
        }
        waiter?.resume(returning: true)
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let waiter = state.withLock { state in
            state.jobs.append(job)
            return state.waiter.take()
        }
        waiter?.resume(returning: true)
    }

    /// Runs jobs until none is left.
    func run() async {
        await withCheckedContinuation { continuation in
            state.withLock { $0.runner = continuation }
            thread.signal()
        }
    }

    /// Waits until there is a job, or nothing more to wait for.
    func nextJob() async throws(CancellationError) {
        let isThere = await withTaskCancellationHandler {
            await job { Task.isCancelled }
        } onCancel: {
            state.withLock { $0.waiter.take() }?.resume(returning: false)
        }
        if !isThere { throw CancellationError() }
    }

    /// The same for a cancelled task.
    func nextJobAfterAll() async { _ = await job { false } }

    private func job(unless isInVain: () -> Bool) async -> Bool {
        await withCheckedContinuation { continuation in
            // Asked under the lock: a cancellation that comes later finds the waiter there.
            let answer = state.withLock { state -> Bool? in
                if !state.jobs.isEmpty || state.isFinished { return true }
                if isInVain() { return false }
                state.waiter = continuation
                return nil
            }
            if let answer { continuation.resume(returning: answer) }
        }
    }

    private func work() {
        while let job = state.withLock({ $0.jobs.isEmpty ? nil : $0.jobs.removeFirst() }) {
            job.runSynchronously(on: asUnownedTaskExecutor())
        }
        state.withLock { $0.runner.take() }?.resume()
    }
}
