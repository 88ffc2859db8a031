import Glibc
import ProcessTesting
import TodoClient
import Varlink

/// The client of the programs.
///
/// In tests it can also send and wait for things that no client should.
typealias Client = VarlinkClient

extension VarlinkClient {
    /// Connects with a timeout for each answer.
    convenience init(_ path: String, seconds: Double) throws { try self.init(path, patience: Int(seconds * 1000)) }

    // MARK: - Bytes

    /// Ends the sending direction of the connection.
    func endInput() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Whether the daemon closes the connection within the time.
    ///
    /// Data that still arrives is discarded.
    func isClosed(seconds: Double) throws -> Bool {
        let deadline = Deadline(seconds: seconds)
        var piece = [UInt8](repeating: 0, count: 65_536)
        while try deadline.awaitReadable(descriptor) {
            let count = recv(descriptor, &piece, piece.count, 0)
            if count == 0 || count < 0 && errno != EINTR { return true }
        }
        return false
    }

    /// Whether the daemon closes the connection within the time, without reading from it.
    func isHungUp(seconds: Double) throws -> Bool {
        var polled = pollfd(fd: descriptor, events: 0, revents: 0)
        let count = poll(&polled, 1, Deadline(seconds: seconds).milliseconds)
        return count == 1 && polled.revents & Int16(POLLHUP) != 0
    }

    // MARK: - Calls and replies, as JSON

    func send(_ method: String, _ parameters: Value = [:], more: Bool = false, oneway: Bool = false) throws {
        try send(Call(method, parameters.record ?? [], more: more, oneway: oneway))
    }

    /// Calls and returns one reply, whatever it is.
    func ask(_ method: String, _ parameters: Value = [:], more: Bool = false) throws -> Reply {
        try send(method, parameters, more: more)
        return try receive()
    }

    /// Calls and returns the parameters of the reply, which must not be an error.
    func call(_ method: String, _ parameters: Value = [:]) throws -> Value {
        try Self.result(try ask(method, parameters))
    }

    /// Calls and returns all replies of a finite stream.
    func stream(_ method: String, _ parameters: Value = [:]) throws -> [Value] {
        try send(method, parameters, more: true)
        var items: [Value] = []
        try replies { items.append(.record($0)) }
        return items
    }

    /// All replies until the daemon closes the connection.
    func repliesUntilClosed() throws -> [Reply] {
        var replies: [Reply] = []
        while true {
            do throws(VarlinkClientError) {
                replies.append(try receive())
            } catch {
                guard error == .closed else { throw error }
                return replies
            }
        }
    }

    static func result(_ reply: Reply) throws -> Value { .record(try parameters(of: reply)) }
}

/// The daemon does not behave as a test requires.
struct Unexpected: Error {
    var what: String
    init(_ what: String) { self.what = what }
}
