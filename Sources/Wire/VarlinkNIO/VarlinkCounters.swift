internal import Synchronization
internal import Varlink

/// What a server has done since it began.
public struct VarlinkCounters: Sendable, Equatable {
    /// Connections that are open now, refused ones included.
    public var connections = 0
    /// Connections that were ever accepted, refused ones included.
    public var accepted = 0
    /// Connections that were refused: by the handler or by a limit.
    public var refused = 0
    /// How often `accept` failed because no file descriptor was free.
    public var acceptFailures = 0
    /// Calls that were started.
    public var calls = 0
    /// Bytes that came from peers.
    public var bytesReceived = 0
    /// Bytes that were written for peers.
    public var bytesSent = 0
    /// Connections that were closed because their peer was too slow to write a call or to read replies.
    public var timeouts = 0
    /// Calls that were answered with an error, by its name.
    public var errors: [String: Int] = [:]
}

/// The counters while they are counted: written on the event loop, read from anywhere.
final class CounterCells: Sendable {
    let connections = Atomic<Int>(0)
    let accepted = Atomic<Int>(0)
    let refused = Atomic<Int>(0)
    let acceptFailures = Atomic<Int>(0)
    let calls = Atomic<Int>(0)
    let bytesReceived = Atomic<Int>(0)
    let bytesSent = Atomic<Int>(0)
    let timeouts = Atomic<Int>(0)
    private let errors = Mutex<[String: Int]>([:])

    /// Names beyond this many, which no service has, are not told apart.
    private static let errorNamesMax = 256

    func count(_ error: CallError) {
        errors.withLock { errors in
            let isNew = errors[error.name] == nil
            errors[isNew && errors.count >= Self.errorNamesMax ? "" : error.name, default: 0] += 1
        }
    }

    var values: VarlinkCounters {
        VarlinkCounters(
            connections: connections.load(ordering: .relaxed), accepted: accepted.load(ordering: .relaxed),
            refused: refused.load(ordering: .relaxed), acceptFailures: acceptFailures.load(ordering: .relaxed),
            calls: calls.load(ordering: .relaxed),
            bytesReceived: bytesReceived.load(ordering: .relaxed), bytesSent: bytesSent.load(ordering: .relaxed),
            timeouts: timeouts.load(ordering: .relaxed), errors: errors.withLock { $0 })
    }
}
