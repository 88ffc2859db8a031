import Dispatch
import Foundation
import Synchronization

/// Runs tasks serially on its own thread, where they may block.
final class ThreadExecutor: TaskExecutor {
    private let queue: JobQueue

    init() {
        let queue = JobQueue()
        self.queue = queue
        Thread.detachNewThread {
            while let (job, executor) = queue.next() { job.runSynchronously(on: executor) }
        }
    }

    deinit {
        queue.add(nil)
    }

    func enqueue(_ job: consuming ExecutorJob) {
        queue.add((UnownedJob(job), asUnownedTaskExecutor()))
    }
}

private final class JobQueue: Sendable {
    typealias Job = (UnownedJob, UnownedTaskExecutor)

    private let jobs = Mutex<[Job?]>([])
    private let count = DispatchSemaphore(value: 0)

    func add(_ job: Job?) {
        jobs.withLock { $0.append(job) }
        count.signal()
    }

    /// Blocks until there is a job; returns nil at the end.
    func next() -> Job? {
        count.wait()
        return jobs.withLock { $0.removeFirst() }
    }
}
