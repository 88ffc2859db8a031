import Synchronization

/// Lets those who were overtaken too often go before others.
///
/// Whoever takes something back passes by while nobody has a turn. Who has one can be overtaken only by those who had passed by
/// before, once by each, and by those who have waited for ``HistoryLimits/turnNanosecondsMax``. Who waits is served in the order of
/// coming; but after a turn of a uid, all others who wait come before its next.
public final class Turns: Sendable {
    private struct Waiter {
        var number: UInt64
        /// Whose turn it would be; `nil`: it only wants to pass.
        var uid: UInt32?
        var continuation: CheckedContinuation<Bool, Never>
    }

    private struct Line {
        var isTaken = false
        var waiters: [Waiter] = []
        var nextNumber: UInt64 = 0
    }

    private let line = Mutex(Line())

    public init() {}

    /// Waits until nobody has a turn, but no longer than one may last.
    func pass() async {
        guard line.withLock(\.isTaken) else { return }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { _ = await self.enter(forTurnOf: nil) }
            group.addTask { try? await Task.sleep(for: .nanoseconds(HistoryLimits.turnNanosecondsMax)) }
            await group.next()
            group.cancelAll()
        }
    }

    /// Does something while others wait to pass.
    public func take<Answer, Failure>(
        _ uid: UInt32, _ body: () async throws(Failure) -> Answer
    ) async throws(Failure) -> Answer {
        let hasTurn = await enter(forTurnOf: uid)
        defer { if hasTurn { end(of: uid) } }
        return try await body()
    }

    /// Waits for admission; `false` when the task is cancelled before.
    private func enter(forTurnOf uid: UInt32?) async -> Bool {
        let number = line.withLock { line in
            line.nextNumber += 1
            return line.nextNumber
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isAdmitted: Bool? = line.withLock { line in
                    guard line.isTaken else {
                        line.isTaken = uid != nil
                        return true
                    }
                    guard !Task.isCancelled else { return false }
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

    private func end(of uid: UInt32) {
        let admitted = line.withLock { line in
            line.waiters = line.waiters.filter { $0.uid != uid } + line.waiters.filter { $0.uid == uid }
            // All may pass who stand before the next who wants a turn.
            let next = line.waiters.firstIndex { $0.uid != nil }
            line.isTaken = next != nil
            let admitted = Array(line.waiters.prefix(next.map { $0 + 1 } ?? line.waiters.count))
            line.waiters.removeFirst(admitted.count)
            return admitted
        }
        for waiter in admitted { waiter.continuation.resume(returning: true) }
    }
}
