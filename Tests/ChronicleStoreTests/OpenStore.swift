import ChronicleLog
import Synchronization

@testable import ChronicleStore

extension Store<Tally> {
    /// Opens a store over a log as a daemon does.
    static func open(
        _ log: any ActionLog, snapshots: SnapshotStore? = nil, fingerprint: String = "one", clock: StoreClock = .system,
        onUnknownOutcome: @escaping @Sendable (String) -> Void = { _ in }
    ) throws -> Store<Tally> {
        let recovered = try RecoveryResult<Tally>(
            from: log, snapshots: snapshots, fingerprint: fingerprint, initial: Tally.State())
        return Store(
            recovered, log: log,
            options: StoreOptions(build: 1, fingerprint: fingerprint, clock: clock, onUnknownOutcome: onUnknownOutcome),
            snapshots: snapshots)
    }

    /// The error of a dispatch, or `nil`.
    nonisolated func error(of dispatch: Dispatch<Tally.Action>) async -> StoreError? {
        do {
            _ = try await self.dispatch(dispatch)
            return nil
        } catch {
            return error
        }
    }
}

/// Runs a body with a store in memory, then stops the store.
func withStore(_ log: any ActionLog = InMemoryActionLog(), _ body: (Store<Tally>) async throws -> Void) async throws {
    let store = try Store.open(log)
    do {
        try await body(store)
    } catch {
        await store.stop()
        throw error
    }
    await store.stop()
}

/// Collects elements from another thread and lets a test wait for a number of them.
final class Collected<Element: Sendable>: Sendable {
    private struct Content {
        var elements: [Element] = []
        var waiters: [UInt64: (count: Int, continuation: CheckedContinuation<Void, Never>)] = [:]
        var lastNumber: UInt64 = 0
    }

    private let content = Mutex(Content())

    var all: [Element] { content.withLock { $0.elements } }

    func add(_ element: Element) {
        resume { content in
            content.elements.append(element)
            let count = content.elements.count
            return Array(content.waiters.filter { $0.value.count <= count }.keys)
        }
    }

    /// - Throws: `CancellationError` when the test's time is over, instead of holding up the whole run.
    func wait(for count: Int) async throws -> [Element] {
        let number = content.withLock { content in
            content.lastNumber += 1
            return content.lastNumber
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                resume { content in
                    content.waiters[number] = (count, continuation)
                    return content.elements.count >= count || Task.isCancelled ? [number] : []
                }
            }
        } onCancel: {
            resume { _ in [number] }
        }
        try Task.checkCancellation()
        return all
    }

    private func resume(_ due: (inout Content) -> some Sequence<UInt64>) {
        let waiters = content.withLock { content in due(&content).compactMap { content.waiters.removeValue(forKey: $0) } }
        for waiter in waiters { waiter.continuation.resume() }
    }
}
