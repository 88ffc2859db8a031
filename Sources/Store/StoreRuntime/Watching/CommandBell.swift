import Synchronization

/// Rings after each flush that changed the open commands, for those who follow them.
///
/// The store's thread rings it. Who follows pauses before waiting again (`Limits.commandsPauseMilliseconds`), so that few are to be woken by
/// any one flush.
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

    /// How often it has rung.
    var rings: UInt64 { content.withLock { $0.rings } }

    func ring() {
        let due = content.withLock { waiting in
            waiting.rings += 1
            return waiting.takeAll()
        }
        for continuation in due { continuation.resume(returning: true) }
    }

    /// Ends all waiting, now and later.
    func end() {
        let due = content.withLock { waiting in
            waiting.hasEnded = true
            return waiting.takeAll()
        }
        for continuation in due { continuation.resume(returning: false) }
    }

    /// Waits until it has rung more often than so many times.
    ///
    /// - Returns: whether it has; not if the task was cancelled, or nothing is flushed any more.
    func next(after rings: UInt64) async -> Bool {
        let number = content.withLock { waiting in
            waiting.nextNumber += 1
            return waiting.nextNumber
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let known: Bool? = content.withLock { waiting in
                    if waiting.rings > rings { return true }
                    // Looked at under the lock: who cancels from now on finds it waiting.
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
