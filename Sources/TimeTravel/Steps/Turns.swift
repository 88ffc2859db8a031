import Synchronization

/// Lets those who were overtaken too often go before others.
///
/// Whoever takes something back passes by while nobody has a turn. Who has one can be overtaken only by those who had passed by
/// before, once by each. Who waits is served in the order of coming.
final class Turns: Sendable {
    private struct Waiter {
        var number: UInt64
        var wantsTurn: Bool
        var continuation: CheckedContinuation<Bool, Never>
    }

    private struct Line {
        var isTaken = false
        var waiters: [Waiter] = []
        var nextNumber: UInt64 = 0
    }

    private let line = Mutex(Line())

    /// Waits until nobody has a turn.
    func pass() async { _ = await enter(forTurn: false) }

    /// Does something while others wait to pass.
    func take<Answer, Failure>(_ body: () async throws(Failure) -> Answer) async throws(Failure) -> Answer {
        let hasTurn = await enter(forTurn: true)
        defer { if hasTurn { end() } }
        return try await body()
    }

    /// Waits for admission; `false` when the task is cancelled before.
    private func enter(forTurn wantsTurn: Bool) async -> Bool {
        let number = line.withLock { line in
            line.nextNumber += 1
            return line.nextNumber
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isAdmitted: Bool? = line.withLock { line in
                    guard line.isTaken else {
                        line.isTaken = wantsTurn
                        return true
                    }
                    guard !Task.isCancelled else { return false }
                    line.waiters.append(Waiter(number: number, wantsTurn: wantsTurn, continuation: continuation))
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

    private func end() {
        let admitted = line.withLock { line in
            // All may pass who came before the next who wants a turn.
            let next = line.waiters.firstIndex(where: \.wantsTurn)
            line.isTaken = next != nil
            let admitted = Array(line.waiters.prefix(next.map { $0 + 1 } ?? line.waiters.count))
            line.waiters.removeFirst(admitted.count)
            return admitted
        }
        for waiter in admitted { waiter.continuation.resume(returning: true) }
    }
}
