import Synchronization

/// A value under a lock, and the tasks that wait for it to change: the one way in which tasks of a store wait for each other.
///
/// A waiting task leaves an attempt, which runs again after each change, in the order of arrival. An attempt may take something from the
/// value, such as a free slot, but must not give something that another task waits for.
package final class Monitor<State: Sendable>: Sendable {
    private typealias Resumption = @Sendable () -> Void

    private struct Waiter: Sendable {
        var number: UInt64
        var attempt: @Sendable (inout State) -> Resumption?
        var cancel: Resumption?
    }

    private struct Content {
        var state: State
        var waiters: [Waiter] = []
        var lastNumber: UInt64 = 0
    }

    private let content: Mutex<Content>

    package init(_ state: State) { content = Mutex(Content(state: state)) }

    /// A copy of the value.
    package var value: State { content.withLock { $0.state } }

    /// Changes the value, then resumes the tasks whose attempts succeed.
    @discardableResult
    package func withLock<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        let (result, due) = content.withLock { content in
            let result = body(&content.state)
            return (result, content.waiters.isEmpty ? [] : Self.takeDue(from: &content.waiters, &content.state))
        }
        // Outside the lock, because the executor of a resumed task may use a monitor, too.
        for resume in due { resume() }
        return result
    }

    private static func takeDue(from waiters: inout [Waiter], _ state: inout State) -> [Resumption] {
        var due: [Resumption] = []
        waiters.removeAll { waiter in
            guard let resume = waiter.attempt(&state) else { return false }
            due.append(resume)
            return true
        }
        return due
    }

    /// Waits until an attempt returns an answer, even in a cancelled task.
    @discardableResult
    package func wait<Answer: Sendable>(_ attempt: @escaping @Sendable (inout State) -> Answer?) async -> Answer {
        await withCheckedContinuation { continuation in
            enter(
                Waiter(number: 0) { state in
                    guard let answer = attempt(&state) else { return nil }
                    return { continuation.resume(returning: answer) }
                })
        }
    }

    /// Waits until an attempt returns an answer; returns `nil` if the task was cancelled before.
    package func waitUnlessCancelled<Answer: Sendable>(_ attempt: @escaping @Sendable (inout State) -> Answer?) async -> Answer? {
        let number = content.withLock { content in
            content.lastNumber += 1
            return content.lastNumber
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Answer?, Never>) in
                enter(
                    Waiter(number: number) { state in
                        guard let answer = attempt(&state) else { return nil }
                        return { continuation.resume(returning: answer) }
                    } cancel: {
                        continuation.resume(returning: nil)
                    })
            }
        } onCancel: {
            let cancel = content.withLock { content in
                content.waiters.firstIndex { $0.number == number }.flatMap { content.waiters.remove(at: $0).cancel }
            }
            cancel?()
        }
    }

    private func enter(_ waiter: Waiter) {
        let resume = content.withLock { content -> Resumption? in
            // Checked under the lock: a later cancellation finds the waiter.
            if let cancel = waiter.cancel, Task.isCancelled { return cancel }
            if let resume = waiter.attempt(&content.state) { return resume }
            content.waiters.append(waiter)
            return nil
        }
        resume?()
    }
}

/// A lock for tasks.
///
/// Waiters are served in order, but a uid that held the lock waits for all others before it gets it again.
package final class FairMutex: Sendable {
    private struct Line {
        var isLocked = false
        var waiting: [(number: UInt64, uid: UInt32)] = []
        var lastNumber: UInt64 = 0

        mutating func enter(_ uid: UInt32) -> UInt64 {
            lastNumber += 1
            waiting.append((lastNumber, uid))
            return lastNumber
        }

        mutating func admit(_ number: UInt64) -> Bool? {
            guard !isLocked, waiting.first?.number == number else { return nil }
            isLocked = true
            waiting.removeFirst()
            return true
        }
    }

    private let line = Monitor(Line())

    package init() {}

    /// Runs an operation with the lock; returns `nil` if the task was cancelled while it waited.
    package func withLock<Answer, Failure>(
        for uid: UInt32, _ body: () async throws(Failure) -> Answer
    ) async throws(Failure) -> Answer? {
        let number = line.withLock { $0.enter(uid) }
        guard await line.waitUnlessCancelled({ $0.admit(number) }) != nil else {
            line.withLock { line in line.waiting.removeAll { $0.number == number } }
            return nil
        }
        defer {
            line.withLock { line in
                line.isLocked = false
                line.waiting = line.waiting.filter { $0.uid != uid } + line.waiting.filter { $0.uid == uid }
            }
        }
        return try await body()
    }
}
