import Glibc
import ProcessTesting
import TodoClient
import Varlink

/// The client of the programs; here it can also send and wait for what no client should.
typealias Client = VarlinkClient

extension VarlinkClient {
    /// Connects; what takes longer to come than that is given up.
    convenience init(_ path: String, seconds: Double) throws { try self.init(path, patience: Int(seconds * 1000)) }

    // MARK: - Bytes

    /// Says that no more calls come.
    func endInput() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Whether the daemon closes the connection within the time; what still comes is thrown away.
    func isClosed(seconds: Double) throws -> Bool {
        let deadline = Deadline(seconds: seconds)
        var piece = [UInt8](repeating: 0, count: 65_536)
        while try deadline.awaitReadable(descriptor) {
            let count = recv(descriptor, &piece, piece.count, 0)
            if count == 0 || count < 0 && errno != EINTR { return true }
        }
        return false
    }

    /// Whether the daemon closes the connection within the time, while nothing of it is read.
    func isHungUp(seconds: Double) throws -> Bool {
        var polled = pollfd(fd: descriptor, events: 0, revents: 0)
        let count = poll(&polled, 1, Deadline(seconds: seconds).milliseconds)
        return count == 1 && polled.revents & Int16(POLLHUP) != 0
    }

    // MARK: - Calls and replies, as JSON

    func send(_ method: String, _ parameters: Value = [:], more: Bool = false, oneway: Bool = false) throws {
        try send(Call(method, parameters.record ?? [], more: more, oneway: oneway))
    }

    /// Calls and takes one reply, whatever it is.
    func ask(_ method: String, _ parameters: Value = [:], more: Bool = false) throws -> Reply {
        try send(method, parameters, more: more)
        return try receive()
    }

    /// Calls and takes the parameters of the reply, which must not be an error.
    func call(_ method: String, _ parameters: Value = [:]) throws -> Value {
        try Self.result(try ask(method, parameters))
    }

    /// Calls and takes all replies of a stream that ends.
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

/// The daemon does not do what a story needs.
struct Unexpected: Error {
    var what: String
    init(_ what: String) { self.what = what }
}
