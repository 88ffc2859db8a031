import ChronicleLog
import Synchronization

enum InboxEntry {
    /// The call waits. If `wake` is set, the caller must signal the store's thread.
    case waiting(wake: Bool)
    case full
    case closed
}

/// Calls that wait for the store's thread: one queue per uid, in order, served by deficit round robin, so that no queue starves.
final class Inbox<Call: Sendable>: Sendable {
    /// The approximate arrival of the first call of a slice, in nanoseconds of the monotonic clock, and whether the slice ends its round.
    typealias Slice = (since: UInt64, endsRound: Bool)

    private struct Waiting {
        var call: Call?
        let bytes: Int
        let cost: Int
        let number: UInt64
        let since: UInt64
    }

    private struct Queue {
        let uid: UInt32?
        var calls: [Waiting] = []
        var next = 0
        var bytes = 0
        var deficit = 0

        var count: Int { calls.count - next }
        var firstNumber: UInt64 { next < calls.count ? calls[next].number : .max }

        mutating func takeFirst() -> Call? {
            bytes -= calls[next].bytes
            deficit -= calls[next].cost
            // Moved out: a copy would retain everything that the call refers to.
            let call = calls[next].call.take()
            next += 1
            if next == calls.count {
                calls.empty(keepingAtMost: Limits.flushRecordsMax)
                next = 0
            } else if next >= Limits.flushRecordsMax, next >= calls.count / 2 {
                calls.removeFirst(next)
                next = 0
            }
            return call
        }
    }

    private struct Content {
        var queues: [Queue] = []
        /// The queue that is served now, and the queue that received the last call.
        var turn = 0
        var last = 0
        var count = 0
        var bytes = 0
        var number: UInt64 = 0
        /// Each barrier is taken once all calls up to its number have been taken.
        var barriers: [(number: UInt64, call: Call)] = []
        /// Remaining calls of this round, which includes the calls that waited when it began.
        var roundLeft = 0
        /// A cached timestamp for new calls, so that not every call reads the clock.
        var now: UInt64 = 0
        var isDraining = false
        /// Resumed as soon as the thread is idle; `isDraining` then stays set until the thread is signaled.
        var holder: CheckedContinuation<Void, Never>?
        var isClosed = false
        var wakeAt = Int.max

        @inline(__always)
        mutating func queue(of uid: UInt32?) -> Int {
            if last < queues.count, queues[last].uid == uid { return last }
            last = queues.firstIndex { $0.uid == uid } ?? queues.count
            if last == queues.count { queues.append(Queue(uid: uid)) }
            return last
        }

        // A queue may use at most the free memory. One uid thus gets at most half, and a new uid is always accepted.
        @inline(__always)
        func hasRoom(_ queue: Int, _ bytes: Int) -> Bool {
            // A single call is accepted at any size, because its reader limits it.
            queues[queue].count == 0
                || queues[queue].count < Limits.waitingCallsMax - count
                    && queues[queue].bytes + bytes <= Limits.waitingBytesMax - self.bytes
        }

        @inline(__always)
        mutating func add(_ call: Call, to queue: Int, bytes: Int, cost: Int) -> InboxEntry {
            if count == 0 { now = monotonicNanoseconds() }
            number += 1
            queues[queue].calls.append(Waiting(call: call, bytes: bytes, cost: cost, number: number, since: now))
            queues[queue].bytes += bytes
            (count, self.bytes) = (count + 1, self.bytes + bytes)
            return wake(count == wakeAt)
        }

        @inline(__always)
        mutating func wake(_ isEnough: Bool) -> InboxEntry {
            if isDraining { return .waiting(wake: isEnough) }
            isDraining = true
            return .waiting(wake: true)
        }

        mutating func take(_ calls: inout [Call?], costMax: Int) -> Slice {
            if roundLeft == 0 { roundLeft = count }
            var (cost, since) = (0, now)
            while cost < costMax, count > 0 {
                if queues[turn].count > 0, queues[turn].deficit <= 0 {
                    let isAlone = queues[turn].count == count
                    queues[turn].deficit = isAlone ? costMax : queues[turn].deficit + min(Limits.turnCostMax, costMax)
                }
                guard queues[turn].count > 0, queues[turn].deficit > 0 else {
                    passTurn()
                    continue
                }
                if cost == 0 { since = queues[turn].calls[queues[turn].next].since }
                (cost, bytes) = (cost + queues[turn].deficit, bytes - queues[turn].bytes)
                calls.append(queues[turn].takeFirst())
                (cost, bytes) = (cost - queues[turn].deficit, bytes + queues[turn].bytes)
                (count, roundLeft) = (count - 1, max(0, roundLeft - 1))
                if queues[turn].deficit <= 0 { passTurn() }
            }
            while let barrier = barriers.first, queues.allSatisfy({ $0.firstNumber > barrier.number }) {
                calls.append(barriers.removeFirst().call)
            }
            if count > 0 { now = monotonicNanoseconds() }
            return (since, roundLeft == 0)
        }

        private mutating func passTurn() {
            if queues[turn].count == 0 {
                queues[turn].deficit = 0
                if queues.count > Limits.idleQueuesMax {
                    queues.remove(at: turn)
                    turn -= 1
                }
            }
            turn = (turn + 1) % queues.count
        }
    }

    private let content = Mutex(Content())

    /// Adds a call to the queue of a uid (`nil`: the store's own); `cost` is an approximate number of actions.
    @inline(__always)
    func add(_ call: Call, of uid: UInt32? = nil, bytes: Int = 0, cost: Int = 1) -> InboxEntry {
        content.withLock { content in
            guard !content.isClosed else { return .closed }
            let queue = content.queue(of: uid)
            guard content.hasRoom(queue, bytes) else { return .full }
            return content.add(call, to: queue, bytes: bytes, cost: cost)
        }
    }

    /// Adds a barrier: a call that is taken once all earlier calls of all queues have been taken, regardless of limits.
    func insist(afterAll call: Call, closing: Bool = false) -> InboxEntry {
        content.withLock { content in
            guard !content.isClosed else { return .closed }
            content.isClosed = closing
            content.barriers.append((content.number, call))
            return content.wake(closing)
        }
    }

    /// Adds a call that is taken with the next slice, regardless of the queues.
    func insist(next call: Call) -> InboxEntry {
        content.withLock { content in
            guard !content.isClosed else { return .closed }
            content.barriers.insert((0, call), at: 0)
            return content.wake(false)
        }
    }

    /// Moves the next slice to `calls`; only its last call may exceed `costMax`.
    /// - Returns: `nil` if nothing waits and the taker is idle. The next call then wakes the thread.
    func take(_ calls: inout [Call?], isIdle: Bool, costMax: Int = Limits.sliceCostMax) -> Slice? {
        content.withLock { content in
            content.wakeAt = .max
            guard content.count > 0 || !content.barriers.isEmpty || !isIdle else {
                content.isDraining = content.holder != nil
                content.holder.take()?.resume()
                return nil
            }
            return content.take(&calls, costMax: costMax)
        }
    }

    /// Whether at least this many calls wait; if not, the call that reaches the number wakes the thread.
    func holds(_ count: Int) -> Bool {
        content.withLock { content in
            guard content.count < count else { return true }
            content.wakeAt = count
            return false
        }
    }

    /// Waits until the thread is idle, and prevents new calls from waking it.
    func hold() async {
        await withCheckedContinuation { continuation in
            content.withLock { content in
                guard !content.isDraining || content.isClosed else { return content.holder = continuation }
                content.isDraining = true
                continuation.resume()
            }
        }
    }

    var count: Int { content.withLock { $0.count } }
}
