internal import NIOCore
internal import Synchronization
internal import Varlink

/// Carries what other threads have to say to the event loop, a burst at a time.
///
/// Each wake-up of the loop is a system call, so whoever finds letters already waiting leaves the wake-up to the first.
final class Mailbox: Sendable {
    /// The end of a call.
    enum Ending: Sendable {
        case success(ConnectionState.Encoder, byteCount: Int)
        case failure(CallError)
    }

    /// How far a call has come whose frame is read elsewhere.
    enum LargeCallNews: Sendable {
        /// What is asked, without its parameters.
        case read(Call)
        case begun
        case refused(CallError)
    }

    /// What is to be done on the event loop.
    enum Letter: Sendable {
        case end(NIOLoopBound<Connection>, ConnectionState.CallID, Ending)
        case begin(NIOLoopBound<Connection>, ConnectionState.CallID, StreamLifetime)
        case item(NIOLoopBound<Connection>, StreamItem)
        case offer(NIOLoopBound<Connection>, ConnectionState.CallID, ConnectionState.Encoder)
        case withdraw(NIOLoopBound<Connection>, Withdrawal)
        indirect case large(NIOLoopBound<Connection>, ConnectionState.CallID, LargeCallNews)
        indirect case group(GroupName, GroupEvent)
        case stop(TimeAmount)
        case replace(any VarlinkHandler)
        case list(@Sendable ([ConnectionStatus]) -> Void)
    }

    private struct Contents {
        var loop: NIOLoopBound<ServerLoop>?
        var letters: [Letter] = []
        var isScheduled = false
    }

    let eventLoop: any EventLoop
    private let contents: Mutex<Contents>

    init(loop: NIOLoopBound<ServerLoop>, eventLoop: any EventLoop) {
        contents = Mutex(Contents(loop: loop))
        self.eventLoop = eventLoop
    }

    func post(_ letter: Letter) {
        let mustSchedule = contents.withLock { contents in
            // The event loop may be shut down by now.
            guard contents.loop != nil else { return false }
            contents.letters.append(letter)
            defer { contents.isScheduled = true }
            return !contents.isScheduled
        }
        if mustSchedule { eventLoop.execute { self.drain() } }
    }

    /// Lets go of the loop; what is posted afterwards goes nowhere.
    func close() {
        // What waits is let go of outside, because it may be the last that holds on to somebody who posts.
        let unread = contents.withLock { contents in
            defer { contents.letters = [] }
            contents.loop = nil
            return contents.letters
        }
        _ = consume unread
    }

    private func drain() {
        let loop = contents.withLock { contents in
            contents.isScheduled = false
            if let loop = contents.loop { swap(&loop.value.letters, &contents.letters) }
            return contents.loop
        }
        loop?.value.deliver()
    }
}
