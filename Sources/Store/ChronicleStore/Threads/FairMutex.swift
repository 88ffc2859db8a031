import Synchronization

/// A lock for tasks.
///
/// Waiters are served in order, but a uid that held the lock waits for all others before it gets it again.
public final class FairMutex: Sendable {
    private struct Waiter {
        var number: UInt64
        var uid: UInt32
        var continuation: CheckedContinuation<Bool, Never>
    }

    private struct Line {
        var isLocked = false
        var waiters: [Waiter] = []
        var lastNumber: UInt64 = 0
    }

    private let line = Mutex(Line())

    public init() {}

    /// Runs an operation with the lock; returns `nil` if the task was cancelled while it waited.
    public func withLock<Answer, Failure>(
        for uid: UInt32, _ body: () async throws(Failure) -> Answer
    ) async throws(Failure) -> Answer? {
        guard await lock(for: uid) else { return nil }
        defer { unlock(by: uid) }
        return try await body()
    }

    private func lock(for uid: UInt32) async -> Bool {
        let number = line.withLock { line in
            line.lastNumber += 1
            return line.lastNumber
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isAdmitted: Bool? = line.withLock { line in
                    guard !Task.isCancelled else { return false }
                    guard line.isLocked else {
                        line.isLocked = true
                        return true
                    }
                    line.waiters.append(Waiter(number: number, uid: uid, continuation: continuation))
                    return nil
                }
                if let isAdmitted { continuation.resume(returning: isAdmitted) }
            }
        } onCancel: {
            let waiter = line.withLock { line in
                line.waiters.firstIndex { $0.number == number }.map { line.waiters.remove(at: $0) }
            }
            waiter?.continuation.resume(returning: false)
        }
    }

    private func unlock(by uid: UInt32) {
        let next = line.withLock { line -> Waiter? in
            line.waiters = line.waiters.filter { $0.uid != uid } + line.waiters.filter { $0.uid == uid }
            line.isLocked = !line.waiters.isEmpty
            return line.isLocked ? line.waiters.removeFirst() : nil
        }
        next?.continuation.resume(returning: true)
    }
}
