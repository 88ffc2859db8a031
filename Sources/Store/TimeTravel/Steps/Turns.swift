import Synchronization

/// Gives precedence to undos that were overtaken too often.
///
/// An undo in its turn can be overtaken only once by each undo that started before, and by those that have waited for
/// ``HistoryLimits/turnNanosecondsMax``. Waiters are served in order, but a uid that had a turn waits for all others before its next one.
public final class Turns: Sendable {
    private struct Waiter {
        var number: UInt64
        /// The uid that wants a turn; `nil`: it only waits to start.
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

    /// Waits until no turn is active, for at most the duration of one.
    func pass() async {
        guard line.withLock(\.isTaken) else { return }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { _ = await self.enter(forTurnOf: nil) }
            group.addTask { try? await Task.sleep(for: .nanoseconds(HistoryLimits.turnNanosecondsMax)) }
            await group.next()
            group.cancelAll()
        }
    }

    /// Runs an operation while others wait.
    public func take<Answer, Failure>(_ uid: UInt32, _ body: () async throws(Failure) -> Answer) async throws(Failure) -> Answer {
        let hasTurn = await enter(forTurnOf: uid)
        defer { if hasTurn { end(of: uid) } }
        return try await body()
    }

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
            // Admit all that wait before the next one that wants a turn.
            let next = line.waiters.firstIndex { $0.uid != nil }
            line.isTaken = next != nil
            let admitted = Array(line.waiters.prefix(next.map { $0 + 1 } ?? line.waiters.count))
            line.waiters.removeFirst(admitted.count)
            return admitted
        }
        for waiter in admitted { waiter.continuation.resume(returning: true) }
    }
}
