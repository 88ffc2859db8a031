import Chronicle
import ChronicleTesting
import Synchronization

/// A target for tests that runs a closure and records its calls.
final class Workshop: CommandTarget {
    struct Call: Sendable, Equatable {
        var text: String
        var ticket: CommandTicket
    }

    typealias Work = @Sendable (Errand, CommandTicket) async throws(CommandFailure) -> Errands.Action?

    private struct Book {
        var calls: [Call] = []
        var inside = 0
        var insideMax = 0
        var waiters: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let book = Mutex(Book())
    private let work: Work

    init(_ work: @escaping Work = { errand, _ in .done(errand.text) }) { self.work = work }

    /// All calls so far, in order.
    var calls: [Call] { book.withLock { $0.calls } }
    var texts: [String] { calls.map(\.text) }
    /// The maximum number of concurrent calls.
    var insideMax: Int { book.withLock { $0.insideMax } }

    func perform(_ command: Errand, _ ticket: CommandTicket) async throws(CommandFailure) -> Errands.Action? {
        let due = book.withLock { book in
            book.calls.append(Call(text: command.text, ticket: ticket))
            book.inside += 1
            book.insideMax = max(book.insideMax, book.inside)
            let due = book.waiters.filter { $0.count <= book.calls.count }
            book.waiters.removeAll { $0.count <= book.calls.count }
            return due
        }
        for waiter in due { waiter.continuation.resume() }
        defer { book.withLock { $0.inside -= 1 } }
        return try await work(command, ticket)
    }

    /// Waits for a number of calls.
    func called(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = book.withLock { book in
                if book.calls.count >= count { return true }
                book.waiters.append((count, continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
    }
}

/// Gates that a test opens by name and targets wait for.
final class Doors: Sendable {
    private struct Content {
        var open: Set<String> = []
        var waiting: [String: [CheckedContinuation<Bool, Never>]] = [:]
    }

    private let content = Mutex(Content())

    func open(_ name: String) {
        let waiting = content.withLock { content in
            content.open.insert(name)
            return content.waiting.removeValue(forKey: name) ?? []
        }
        for continuation in waiting { continuation.resume(returning: true) }
    }

    /// Waits until the gate is open.
    ///
    /// Throws if the task is cancelled.
    func wait(_ name: String) async throws(CommandFailure) {
        let isOpen = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let now = content.withLock { content -> Bool? in
                    if content.open.contains(name) { return true }
                    if Task.isCancelled { return false }
                    content.waiting[name, default: []].append(continuation)
                    return nil
                }
                if let now { continuation.resume(returning: now) }
            }
        } onCancel: {
            let waiting = content.withLock { $0.waiting.removeValue(forKey: name) ?? [] }
            for continuation in waiting { continuation.resume(returning: false) }
        }
        if !isOpen { throw CommandFailure("cancelled") }
    }
}
