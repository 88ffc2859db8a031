internal import Synchronization

/// By what a group is known on the event loop, and how many members it has.
final class GroupName: Sendable {
    let memberCount = Atomic<Int>(0)
}

/// Whether a stream is in a group, and whoever waits for it to leave.
final class GroupPlace: Sendable {
    private enum State {
        case taken
        case awaited(CheckedContinuation<(any Sendable)?, Never>)
        case left((any Sendable)?)
    }

    private let name: GroupName
    private let state = Mutex(State.taken)

    init(in name: GroupName) {
        self.name = name
        name.memberCount.add(1, ordering: .acquiringAndReleasing)
    }

    var hasLeft: Bool {
        state.withLock { state in
            if case .left = state { true } else { false }
        }
    }

    /// Takes note of where it left; only the first time counts.
    func leave(at position: (any Sendable)?) {
        let waiting = state.withLock { state -> CheckedContinuation<(any Sendable)?, Never>? in
            if case .left = state { return nil }
            name.memberCount.subtract(1, ordering: .acquiringAndReleasing)
            defer { state = .left(position) }
            if case .awaited(let continuation) = state { return continuation }
            return nil
        }
        waiting?.resume(returning: position)
    }

    func wait() async -> (any Sendable)? {
        await withCheckedContinuation { continuation in
            let position = state.withLock { state -> (any Sendable)?? in
                if case .left(let position) = state { return .some(position) }
                state = .awaited(continuation)
                return .none
            }
            if let position { continuation.resume(returning: position) }
        }
    }
}
