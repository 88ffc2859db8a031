import Synchronization

/// Collects elements from another thread.
final class Collected<Element: Sendable>: Sendable {
    private let content = Mutex([Element]())

    var all: [Element] { content.withLock { $0 } }

    func add(_ element: Element) { content.withLock { $0.append(element) } }
}
