import Synchronization

/// Notifies subscribers of each flush that changed the open commands; called on the store's thread.
///
/// A subscriber pauses before it waits again (`Limits.commandsPauseMilliseconds`), so that each flush resumes few tasks.
final class ChangeSignal: Sendable {
    private struct Waiting {
        var generation: UInt64 = 0
        var hasEnded = false
        var nextNumber: UInt64 = 0
        var byNumber: [UInt64: CheckedContinuation<Bool, Never>] = [:]
    }

    private let content = Mutex(Waiting())

    var generation: UInt64 { content.withLock { $0.generation } }

    func notify() { resume(returning: true) { $0.generation += 1 } }
    func end() { resume(returning: false) { $0.hasEnded = true } }

    private func resume(returning goesOn: Bool, _ change: (inout Waiting) -> Void) {
        let due = content.withLock { waiting in
            change(&waiting)
            defer { waiting.byNumber = [:] }
            return waiting.byNumber.values
        }
        for continuation in due { continuation.resume(returning: goesOn) }
    }

    /// Waits until there were more than this number of notifications.
    /// - Returns: `false` if the task was cancelled or the store has stopped.
    func next(after generation: UInt64) async -> Bool {
        let number = content.withLock { waiting in
            waiting.nextNumber += 1
            return waiting.nextNumber
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let known: Bool? = content.withLock { waiting in
                    if waiting.generation > generation { return true }
                    // Checked under the lock: a later cancellation finds the registered continuation.
                    if waiting.hasEnded || Task.isCancelled { return false }
                    waiting.byNumber[number] = continuation
                    return nil
                }
                if let known { continuation.resume(returning: known) }
            }
        } onCancel: {
            content.withLock { $0.byNumber.removeValue(forKey: number) }?.resume(returning: false)
        }
    }
}
