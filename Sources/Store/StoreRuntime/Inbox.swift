import Synchronization

/// What became of a call that was to be put in line.
enum InboxEntry {
    /// It waits; the thread must be woken if `wake` says so.
    case waiting(wake: Bool)
    case full
    case closed
}

/// What waits for the store's thread, in the order in which it came.
final class Inbox<Call: Sendable>: Sendable {
    private struct Content {
        var calls: [Call] = []
        var bytes = 0
        var isDraining = false
        var isClosed = false
        var wakeAt = Int.max
        /// When the first of those came that wait.
        var since: UInt64 = 0

        @inline(__always)
        mutating func take(_ call: Call) -> InboxEntry {
            if calls.isEmpty { since = monotonicNanoseconds() }
            calls.append(call)
            if isDraining { return .waiting(wake: calls.count == wakeAt) }
            isDraining = true
            return .waiting(wake: true)
        }
    }

    private let content = Mutex(Content())

    /// Puts a call in line.
    ///
    /// - Parameter bytes: about what it takes while it waits.
    @inline(__always)
    func add(_ call: Call, bytes: Int = 0) -> InboxEntry {
        content.withLock { content in
            guard !content.isClosed else { return .closed }
            guard content.calls.count < Limits.waitingCallsMax else { return .full }
            // One call alone always has room: how large it may be is up to who reads it.
            guard content.bytes == 0 || content.bytes + bytes <= Limits.waitingBytesMax else { return .full }
            content.bytes += bytes
            return content.take(call)
        }
    }

    /// Puts a call in line however much waits already: for what gives something back, and comes no more often than it was taken.
    func insist(_ call: Call) -> InboxEntry {
        content.withLock { content in
            guard !content.isClosed else { return .closed }
            return content.take(call)
        }
    }

    /// Gives everything that waits in exchange for an empty list, whose room serves for what comes next, and since when the first of it does;
    /// `nil` once nothing does and the taker is idle, and then the next call wakes the thread again.
    func take(_ calls: inout [Call], isIdle: Bool) -> UInt64? {
        content.withLock { content in
            content.wakeAt = .max
            guard !content.calls.isEmpty || !isIdle else {
                content.isDraining = false
                return nil
            }
            swap(&calls, &content.calls)
            content.bytes = 0
            return content.since
        }
    }

    /// Whether so many calls wait; if not, the call that makes it so many wakes the thread.
    func holds(_ count: Int) -> Bool {
        content.withLock { content in
            guard content.calls.count < count else { return true }
            content.wakeAt = count
            return false
        }
    }

    /// Takes a last call and none after it; the thread must be woken.
    func close(with call: Call) -> Bool {
        content.withLock { content in
            guard !content.isClosed else { return false }
            content.isClosed = true
            content.isDraining = true
            content.calls.append(call)
            return true
        }
    }

    /// Keeps what comes from waking the thread; `false` while the thread is at work, and nothing is kept.
    func hold() -> Bool {
        content.withLock { content in
            guard !content.isDraining || content.isClosed else { return false }
            content.isDraining = true
            return true
        }
    }

    var count: Int { content.withLock { $0.calls.count } }
}
