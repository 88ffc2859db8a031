import Synchronization

/// Notifies subscribers after each flush that changed the open commands.
///
/// Called on the store's thread. A subscriber pauses before it waits again (`Limits.commandsPauseMilliseconds`), so that each
/// flush resumes few tasks.
final class CommandBell: Sendable {
    private struct Waiting {
        var rings: UInt64 = 0
        var hasEnded = false
        var nextNumber: UInt64 = 0
        var byNumber: [UInt64: CheckedContinuation<Bool, Never>] = [:]

        mutating func takeAll() -> [CheckedContinuation<Bool, Never>] {
            defer { byNumber = [:] }
            return Array(byNumber.values)
        }
    }

    private let content = Mutex(Waiting())

    /// The number of notifications so far.
    var rings: UInt64 { content.withLock { $0.rings } }

    func ring() {
        let due = content.withLock { waiting in
            waiting.rings += 1
            return waiting.takeAll()
        }
        for continuation in due { continuation.resume(returning: true) }
    }

    /// Ends all current and future waiting.
    func end() {
        let due = content.withLock { waiting in
            waiting.hasEnded = true
            return waiting.takeAll()
        }
        for continuation in due { continuation.resume(returning: false) }
    }

    /// Waits until there were more than this number of notifications.
    ///
    /// - Returns: whether there were; `false`: the task was cancelled, or the store has stopped.
    func next(after rings: UInt64) async -> Bool {
        let number = content.withLock { waiting in
            waiting.nextNumber += 1
            return waiting.nextNumber
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let known: Bool? = content.withLock { waiting in
                    if waiting.rings > rings { return true }
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
