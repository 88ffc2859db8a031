import ActionLogs
import Synchronization

@testable import StoreRuntime

extension Store<Tally> {
    /// A store over a log, as a daemon would open it.
    static func open(
        _ log: any ActionLog, snapshots: SnapshotStore? = nil, fingerprint: String = "one", clock: StoreClock = .system,
        onUnknownOutcome: @escaping @Sendable (String) -> Void = { _ in }
    ) throws -> Store<Tally> {
        let recovered = try Recovered<Tally>(
            from: log, snapshots: snapshots, fingerprint: fingerprint, initial: Tally.State())
        return Store(
            recovered, log: log,
            options: StoreOptions(build: 1, fingerprint: fingerprint, clock: clock, onUnknownOutcome: onUnknownOutcome),
            snapshots: snapshots)
    }

    /// The error that a dispatch meets, or `nil`.
    nonisolated func error(of dispatch: Dispatch<Tally.Action>) async -> StoreError? {
        do {
            _ = try await self.dispatch(dispatch)
            return nil
        } catch {
            return error
        }
    }
}

/// Runs a body with a store in memory, and stops it.
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

/// Collects what comes from another thread, and lets a test wait until there is enough.
final class Collected<Element: Sendable>: Sendable {
    private struct Content {
        var elements: [Element] = []
        var waiters: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let content = Mutex(Content())

    var all: [Element] { content.withLock { $0.elements } }

    func add(_ element: Element) {
        let due = content.withLock { content in
            content.elements.append(element)
            let count = content.elements.count
            let due = content.waiters.filter { $0.count <= count }
            content.waiters.removeAll { $0.count <= count }
            return due
        }
        for waiter in due { waiter.continuation.resume() }
    }

    func wait(for count: Int) async -> [Element] {
        await withCheckedContinuation { continuation in
            let isThere = content.withLock { content in
                if content.elements.count >= count { return true }
                content.waiters.append((count, continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
        return all
    }
}
