import ChronicleStore
import Synchronization

/// Runs tasks on its own thread, in the order in which they become ready, and only on request.
final class SteppedExecutor: TaskExecutor {
    private struct State {
        var jobs: [UnownedJob] = []
        var runner: CheckedContinuation<Void, Never>?
        var waiter: CheckedContinuation<Bool, Never>?
        var isFinished = false
    }

    private let state = Mutex(State())
    private let thread = SerialThread(name: "simulation")

    init() { thread.onSignal { [weak self] in self?.work() } }

    deinit { thread.end() }

    var hasJobs: Bool { state.withLock { !$0.jobs.isEmpty } }

    var isFinished: Bool { state.withLock { $0.isFinished } }

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

    func run() async {
        await withCheckedContinuation { continuation in
            state.withLock { $0.runner = continuation }
            thread.signal()
        }
    }

    /// Waits until there is a job, or `finish()`.
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
            // Checked under the lock: a later cancellation finds the registered waiter.
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
