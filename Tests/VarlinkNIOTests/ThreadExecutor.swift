import Dispatch
import Foundation
import Synchronization

/// Runs tasks one after the other on a thread of its own, where they may block.
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

/// The jobs that wait for the thread.
private final class JobQueue: Sendable {
    typealias Job = (UnownedJob, UnownedTaskExecutor)

    private let jobs = Mutex<[Job?]>([])
    private let count = DispatchSemaphore(value: 0)

    func add(_ job: Job?) {
        jobs.withLock { $0.append(job) }
        count.signal()
    }

    /// The next job, nil at the end.
    func next() -> Job? {
        count.wait()
        return jobs.withLock { $0.removeFirst() }
    }
}
