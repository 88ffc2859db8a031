import Foundation
import Testing

/// Runs the tests of a suite on three separate threads, because they block.
///
/// On the threads of the shared pool they would keep all other tests of the process from running.
struct OwnThreads: SuiteTrait, TestTrait, TestScoping {
    let isRecursive = true

    @concurrent func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        guard testCase != nil else { return try await function() }
        try await withTaskExecutorPreference(BlockingThreads.shared) { try await function() }
    }
}

extension Trait where Self == OwnThreads {
    /// On three separate threads.
    static var ownThreads: Self { OwnThreads() }
}

private final class BlockingThreads: TaskExecutor {
    static let shared = BlockingThreads()
    private let queue: OperationQueue

    init() {
        queue = OperationQueue()
        // Each test keeps a daemon busy as well and waits a third of its time. More concurrency would only make each test slower.
        queue.maxConcurrentOperationCount = 3
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = asUnownedTaskExecutor()
        queue.addOperation { job.runSynchronously(on: executor) }
    }
}
