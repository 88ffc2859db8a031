import Records
import Synchronization
import VarlinkNIO

/// Who follows which subscription: one process at a time, the one that came last.
final class Followers: Sendable {
    /// One that follows, until it leaves or is sent away.
    struct Follower: Sendable {
        fileprivate let number: UInt64
        let peer: Peer
        /// Yields why it must go, once.
        let ends: AsyncStream<String>
        fileprivate let end: AsyncStream<String>.Continuation
    }

    private struct Content {
        var followers: [ExactText: Follower] = [:]
        var lastNumber: UInt64 = 0
    }

    private let content = Mutex(Content())

    /// Takes one in, in the place of whoever followed before.
    func enter(_ name: String, _ peer: Peer) -> Follower {
        let (ends, end) = AsyncStream<String>.makeStream(bufferingPolicy: .bufferingOldest(1))
        let (follower, former) = content.withLock { content in
            content.lastNumber += 1
            let follower = Follower(number: content.lastNumber, peer: peer, ends: ends, end: end)
            return (follower, content.followers.updateValue(follower, forKey: ExactText(name)))
        }
        former?.end.yield("Process \(peer.pid) of uid \(peer.uid) follows \(name) now.")
        return follower
    }

    /// Sends whoever follows away.
    func dismiss(_ name: String, because why: String) {
        content.withLock { $0.followers.removeValue(forKey: ExactText(name)) }?.end.yield(why)
    }

    /// One has left by itself.
    func leave(_ name: String, _ follower: Follower) {
        content.withLock { content in
            if content.followers[ExactText(name)]?.number == follower.number { content.followers[ExactText(name)] = nil }
        }
    }

    /// The process that follows a subscription.
    func pid(of name: String) -> Int32? { content.withLock { $0.followers[ExactText(name)]?.peer.pid } }
}
