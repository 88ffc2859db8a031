import Glibc
import TodoAPI
import TodoClient
import Varlink

/// Calls the daemon, and repeats calls that were not answered because the connection was lost.
///
/// Reads can be repeated, and changes have a key. The few other calls are not sent twice: `ifLost` says how to find out their result.
/// A lost connection is retried for `patience`. The first connection waits only if the user, or another client's connection, says so.
///
/// If the daemon sends nothing for half of `timeout`, the client calls it over a second connection. If that gets no reply within the
/// other half, the call fails. So idle subscriptions and long calls continue, and a stopped daemon does not block a verb.
final class Client {
    /// How long a lost connection is retried, in microseconds.
    static let patience: Int64 = 10_000_000
    static let followingPatience: Int64 = 300_000_000
    static let endlessPatience: Int64 = 1 << 60

    private(set) var socket: String
    private let search: SocketSearch
    private var connection: VarlinkClient?
    /// The interface names of the daemon, as far as known.
    var names: InterfaceNames { connection?.names ?? InterfaceNames() }
    private var silence: SilenceTimer?
    /// Milliseconds without a response after which a call fails; 0 means no limit.
    var timeout: Int
    private var wasConnected = false
    // Whether a client of this daemon was ever connected.
    private var history = ConnectionHistory()
    private var connectedAt: Int64 = 0
    private var retry: Retry
    // The wait for a daemon that has not been seen yet, and its progress message.
    private var startup: (retry: Retry, progress: Progress)
    // Whether the daemon's absence was reported, and whether plain calls report it too.
    private var isAway = false
    private var reportsEveryCall = false
    // Whether the connection was re-established and `onReconnect` has not been called yet.
    private var hasReconnected = false
    /// Called before a stream waits for its next reply, with the descriptor to poll.
    var whileWaiting: ((Int32) throws(Failure) -> Void)?
    /// Waits for the first bytes of a reply, on the given descriptor.
    var awaitAnswer: (Int32) throws(Failure) -> Void = { descriptor throws(Failure) in Progress.wait(on: descriptor) }
    /// Called when a stream was resumed on a new connection, because the daemon may have restarted.
    var onReconnect: (() throws(Failure) -> Void)?
    /// Sleeps for some microseconds before a retry.
    var pausing: (Int64) throws(Failure) -> Void = { microseconds throws(Failure) in Clock.pause(microseconds: microseconds) }
    /// Called when a followed daemon goes away and when it is back.
    var onPresenceChange: (_ isThere: Bool) -> Void = { isThere in
        Progress.tell(
            isThere ? "The daemon is back." : "The daemon went away. Waiting for it to come back; Ctrl-C ends this.")
    }

    init(_ search: SocketSearch, patience: Int64 = Client.patience) throws(Failure) {
        self.search = search
        socket = try search.place()
        // With socket activation the connection succeeds before the daemon can answer, so `--wait` extends the timeout.
        let seconds = try SocketSearch.seconds("TODOD_TIMEOUT", "--timeout", usual: 10)
        timeout = seconds == 0 ? 0 : max(seconds * 1_000, Int(search.patience / 1_000))
        retry = Retry(patience: patience)
        startup = (Retry(patience: search.patience), Progress())
    }

    /// Connects to one socket, without waiting for a daemon to start.
    convenience init(socket: String, patience: Int64 = Client.patience) throws(Failure) {
        try self.init(SocketSearch { socket }, patience: patience)
    }

    /// Waits longer for a lost daemon from now on.
    ///
    /// - Parameter telling: whether plain calls report the absence, like streams do.
    func beginFollowing(telling: Bool) {
        retry = Retry(patience: Self.followingPatience)
        reportsEveryCall = telling
    }

    /// Another client of the same daemon, for calls during a stream.
    func another(patience: Int64 = Client.patience) throws(Failure) -> Client {
        let other = try Client(search, patience: patience)
        other.history = history
        return other
    }

    /// Makes one call; the frame includes the NUL.
    func call(_ frame: [UInt8], ifLost question: String? = nil) throws(Failure) -> [Value.Field] {
        var calls = [PendingCall(frame: frame, subject: (), ifLost: question)]
        var found: [Value.Field] = []
        try exchange(window: 1, next: { calls.popLast() }) { outcome, _ throws(Failure) in
            found = try outcome.get()
            return nil
        }
        return found
    }

    /// Pipelines calls with at most `window` in flight, and passes on the replies.
    ///
    /// `next` returns calls until `nil`. `take` gets each reply with the subject of its call, and may return a call to make
    /// instead. Replies come in the order of the calls, except for calls that are repeated because the daemon was busy.
    func exchange<Subject>(
        window: Int, next: () throws(Failure) -> PendingCall<Subject>?,
        take: (Result<[Value.Field], Failure>, Subject) throws(Failure) -> PendingCall<Subject>?
    ) throws(Failure) {
        var pending: [PendingCall<Subject>] = []
        var sent = 0
        var isExhausted = false
        func handleLoss(_ loss: VarlinkClientError) throws(Failure) {
            let failure = try failure(loss)
            if let question = pending[..<sent].lazy.compactMap(\.ifLost).first { throw Failure.unknown(failure, question) }
            for index in 0..<sent { pending[index].isLost = true }
            try repeating(after: failure)
            sent = 0
        }
        func repeating(after failure: Failure) throws(Failure) {
            do throws(Failure) { try wait(after: failure) } catch {
                // A failed reconnect does not say whether an earlier attempt was executed.
                throw error == failure ? pending.lazy.compactMap(\.unknownOutcome).first ?? error : error
            }
        }
        while true {
            while !isExhausted, pending.count < window {
                if let call = try next() { pending.append(call) } else { isExhausted = true }
            }
            guard !pending.isEmpty else { return }
            let connection: VarlinkClient
            do throws(VarlinkClientError) {
                connection = try connected()
                while sent < pending.count {
                    try connection.send(pending[sent].frame)
                    sent += 1
                }
            } catch {
                try handleLoss(error)
                continue
            }
            if !connection.hasReply { try wait(for: connection, awaitAnswer) }
            let answer: Reply
            do throws(VarlinkClientError) { answer = try connection.receive() } catch {
                try handleLoss(error)
                continue
            }
            sent -= 1
            var call = pending.removeFirst()
            guard let error = answer.error else {
                retry.reset()
                if let next = try take(.success(answer.parameters), call.subject) { pending.append(next) }
                continue
            }
            let failure = Failure(CallError(error, answer.parameters), socket: socket, names: names)
            guard failure.isTemporary else {
                retry.reset()
                let result =
                    failure.concernsRetryOnly ? call.unknownOutcome ?? (call.isLost ? .lost(at: socket) : failure) : failure
                if let next = try take(.failure(result), call.subject) { pending.append(next) }
                continue
            }
            if failure.isOutcomeUnknown { call.unknownOutcome = failure }
            if let question = call.ifLost, failure.mayBeExecuted { throw Failure.unknown(failure, question) }
            if failure.endsConnection {
                pending.insert(call, at: 0)
                sent = 0
            } else {
                pending.append(call)
            }
            try repeating(after: failure)
        }
    }

    /// Makes one streaming call and passes each reply to `take`, until it returns `.enough`.
    ///
    /// A stream that has begun is not repeated.
    ///
    /// - Parameters:
    ///   - isLive: whether replies arrive when something happens, so that waiting is normal.
    ///   - question: for calls that must not be repeated, how to find out their result.
    func stream(
        _ frame: [UInt8], isLive: Bool = false, ifLost question: String? = nil,
        _ take: ([Value.Field]) throws(Failure) -> Demand
    ) throws(Failure) {
        var (isSent, hasBegun) = (false, false)
        while true {
            let connection: VarlinkClient
            do throws(VarlinkClientError) {
                connection = try connected()
                if !isSent { try connection.send(frame) }
                isSent = true
            } catch {
                try handleLoss(error, hasBegun: hasBegun, isLive: isLive)
                continue
            }
            if hasReconnected {
                hasReconnected = false
                try onReconnect?()
            }
            if !connection.hasReply {
                if let whileWaiting {
                    try wait(for: connection, whileWaiting)
                } else if !isLive {
                    try wait(for: connection, awaitAnswer)
                }
            }
            let answer: Reply
            do throws(VarlinkClientError) {
                answer = try connection.receive()
            } catch {
                if let question { throw Failure.unknown(try failure(error), question) }
                isSent = false
                try handleLoss(error, hasBegun: hasBegun, isLive: isLive)
                continue
            }
            if let error = answer.error {
                let failure = Failure(CallError(error, answer.parameters), socket: socket, names: names)
                if let question, failure.mayBeExecuted { throw Failure.unknown(failure, question) }
                guard failure.isTemporary, !hasBegun else { throw failure }
                isSent = false
                if isLive, failure.endsConnection { reportAbsence() }
                try wait(after: failure)
                continue
            }
            hasBegun = true
            retry.reset()
            let demand = try take(answer.parameters)
            guard answer.continues else { return }
            if demand == .enough {
                // The remaining replies of this call must not answer the next one.
                self.connection = nil
                return
            }
        }
    }

    /// Makes a streaming call and repeats it whenever the daemon goes away, until `take` returns `.enough`.
    ///
    /// `frame` is called for each attempt. For a live stream the absence of the daemon is reported on a terminal.
    func follow(
        _ frame: () -> [UInt8], isLive: Bool = false, _ take: ([Value.Field]) throws(Failure) -> Demand
    ) throws(Failure) {
        // A daemon that keeps going away is retried less often.
        var losses = Retry(patience: retry.patience)
        var hasBegun = false
        while true {
            let start = Clock.uptime()
            do throws(Failure) {
                try stream(frame(), isLive: isLive) { members throws(Failure) in
                    hasBegun = true
                    return try take(members)
                }
                return
            } catch {
                // Retries only if the daemon went away after a first reply, not if it does not respond.
                guard hasBegun, error.endsConnection || connection == nil && error.code != .tryAgain else { throw error }
                connection = nil
                if isLive { reportAbsence() }
                if Clock.uptime() - start > 1_000_000 { losses.reset() }
                guard try losses.wait(pausing) else { throw error }
            }
        }
    }

    private func connected() throws(VarlinkClientError) -> VarlinkClient {
        if let connection { return connection }
        let made = try VarlinkClient.trusted(socket, patience: timeout == 0 ? nil : timeout)
        if timeout > 0 {
            silence = try SilenceTimer(made.descriptor)
            made.patience = timeout / 2
            made.whenSilent = { [unowned self] () throws(VarlinkClientError) in try checkAlive() }
        }
        connection = made
        hasReconnected = wasConnected
        wasConnected = true
        history.hasConnected = true
        connectedAt = Clock.uptime()
        startup.progress.clear()
        if isAway { onPresenceChange(true) }
        isAway = false
        return made
    }

    /// Waits for the next reply with the verb's own poll loop.
    private func wait(for connection: VarlinkClient, _ polling: (Int32) throws(Failure) -> Void) throws(Failure) {
        guard let silence else { return try polling(connection.descriptor) }
        while true {
            silence.begin(milliseconds: timeout / 2)
            try polling(silence.descriptor)
            guard silence.hasPassed else { return }
            do throws(VarlinkClientError) { try checkAlive() } catch { throw try failure(error) }
        }
    }

    /// Calls a cheap method over a second connection.
    ///
    /// - Throws: `timedOut` if the daemon does not answer. Other failures of the second connection say nothing about the first.
    private func checkAlive() throws(VarlinkClientError) {
        do throws(VarlinkClientError) {
            let other = try VarlinkClient.trusted(socket, patience: timeout / 2)
            try other.send(Call.frame("org.varlink.service.GetInfo", parameters: Array("{}".utf8)))
            _ = try other.receiveFrame()
        } catch { if error == .timedOut { throw error } }
    }

    private func reportAbsence() {
        if !isAway { onPresenceChange(false) }
        isAway = true
    }

    private func handleLoss(_ loss: VarlinkClientError, hasBegun: Bool, isLive: Bool) throws(Failure) {
        let failure = try failure(loss)
        if hasBegun {
            throw Failure(
                .unreachable, "The daemon at \(socket) closed the connection before its answer was complete. Try again.")
        }
        if isLive, history.hasConnected { reportAbsence() }
        try wait(after: failure)
    }

    private func failure(_ loss: VarlinkClientError) throws(Failure) -> Failure {
        // A connection that lasted shows that the daemon worked, so the patience starts again.
        if connection != nil, Clock.uptime() - connectedAt > 1_000_000 { retry.reset() }
        connection = nil
        let failure = Failure(loss, socket: socket)
        switch loss {
        // A socket that does not exist or has no listener yet. Other errors are permanent.
        case .unreachable(ENOENT), .unreachable(ECONNREFUSED): return failure
        case .unreachable where !history.hasConnected: throw failure
        case .unreachable, .closed: return failure
        case .timedOut, .notVarlink, .untrusted, .refused, .unexpected: throw failure
        }
    }

    private func wait(after failure: Failure) throws(Failure) {
        if failure.endsConnection { connection = nil }
        guard history.hasConnected else { return try waitForStartup(failure) }
        if reportsEveryCall, connection == nil { reportAbsence() }
        guard try retry.wait(pausing) else { throw failure }
    }

    private func waitForStartup(_ failure: Failure) throws(Failure) {
        guard try startup.retry.wait(pausing) else {
            startup.progress.clear()
            throw failure
        }
        startup.progress.show("Waiting for a daemon at \(Visible.text(socket))")
        // If the socket was not named, the system's daemon may appear before the user's.
        socket = try search.place()
    }
}

private final class ConnectionHistory {
    var hasConnected = false
}

/// An unanswered call and its subject.
struct PendingCall<Subject> {
    var frame: [UInt8]
    var subject: Subject
    /// For calls that must not be repeated, how to find out their result.
    var ifLost: String?
    /// The daemon's error for an unknown outcome, which stays until a reply resolves it.
    var unknownOutcome: Failure?
    /// Whether its connection broke after it was sent.
    var isLost = false
}

enum Demand {
    case more
    case enough
}
