/// The tasks that sleep on a test clock; a pure value that returns the tasks to wake.
struct Sleepers {
    typealias Continuation = CheckedContinuation<Result<Void, CancellationError>, Never>

    enum Reason {
        case due(TestClock.Instant)
        case sleeping(Int)
    }

    private(set) var now: TestClock.Instant
    private var lastID = 0
    // Both in waking order.
    private var sleeping: [(id: Int, due: TestClock.Instant, owner: Int?, continuation: Continuation)] = []
    private var watching: [(id: Int, count: Int, continuation: Continuation)] = []

    init(now: TestClock.Instant) { self.now = now }

    var dues: [TestClock.Instant] { sleeping.map(\.due) }

    func hasSleeper(of owner: Int) -> Bool { sleeping.contains { $0.owner == owner } }

    mutating func nextID() -> Int {
        lastID += 1
        return lastID
    }

    /// Returns the continuations to resume at once: the caller's, or those that waited for one more sleeper.
    mutating func add(_ continuation: Continuation, _ id: Int, _ reason: Reason, of owner: Int?) -> [Continuation] {
        switch reason {
        case .due(let due):
            guard due > now else { return [continuation] }
            let index = sleeping.firstIndex { $0.due > due } ?? sleeping.endIndex
            sleeping.insert((id, due, owner, continuation), at: index)
            let content = watching.filter { $0.count <= sleeping.count }
            watching.removeAll { $0.count <= sleeping.count }
            return content.map(\.continuation)
        case .sleeping(let count):
            guard count > sleeping.count else { return [continuation] }
            watching.append((id, count, continuation))
            return []
        }
    }

    mutating func remove(_ id: Int) -> Continuation? {
        if let index = sleeping.firstIndex(where: { $0.id == id }) { return sleeping.remove(at: index).continuation }
        if let index = watching.firstIndex(where: { $0.id == id }) { return watching.remove(at: index).continuation }
        return nil
    }

    mutating func advance(to instant: TestClock.Instant) -> [Continuation] {
        now = instant
        let due = sleeping.prefix { $0.due <= instant }
        sleeping.removeFirst(due.count)
        return due.map(\.continuation)
    }

    /// Removes the first sleeper and moves to its instant; others with the same instant keep sleeping.
    mutating func wakeFirst() -> Continuation? {
        guard let first = sleeping.first else { return nil }
        now = max(now, first.due)
        sleeping.removeFirst()
        return first.continuation
    }
}
