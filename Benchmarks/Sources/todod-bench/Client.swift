import TodoAPI
import TodoClient
import Varlink

/// A connection that asks one call at a time.
struct Client {
    private let connection: VarlinkClient

    /// Connects.
    init(_ socket: String) throws(BenchmarkError) {
        connection = try Client.tried { () throws(VarlinkClientError) in try VarlinkClient(socket) }
    }

    /// Calls a method, and gives its one reply.
    @discardableResult
    func call<M: Method>(_ method: M.Type, _ input: M.Input) throws(BenchmarkError) -> M.Output {
        try Client.tried { () throws(VarlinkClientError) in try connection.call(method, input) }
    }

    /// Calls a method with `more`, without waiting for a reply.
    func send<M: Method>(_ method: M.Type, _ input: M.Input) throws(BenchmarkError) {
        try Client.tried { () throws(VarlinkClientError) in try connection.send(M.frame(input, more: true)) }
    }

    /// Waits for the next reply, without looking into it.
    func skip() throws(BenchmarkError) {
        try Client.tried { () throws(VarlinkClientError) in _ = try connection.receiveFrame() }
    }

    /// Calls a method with `more`, and hands over its replies.
    func stream<M: Method>(
        _ method: M.Type, _ input: M.Input, _ take: (M.Output) -> Void
    ) throws(BenchmarkError) {
        try Client.tried { () throws(VarlinkClientError) in try connection.stream(method, input) { take($0) } }
    }

    /// Calls a method with `more`, and reads all replies through the last one; what comes before that is not looked into.
    func last<M: Method>(_ method: M.Type, _ input: M.Input) throws(BenchmarkError) {
        try send(method, input)
        try Client.tried { () throws(VarlinkClientError) in
            var frame = try connection.receiveFrame()
            while frame.suffix(64).contains(Client.continues) { frame = try connection.receiveFrame() }
            do {
                _ = try VarlinkClient.parameters(of: Reply(parsing: frame.span))
            } catch let error as VarlinkClientError {
                throw error
            } catch {
                throw .notVarlink("\(error)")
            }
        }
    }

    private static let continues = Array(#""continues":true"#.utf8)

    /// The last durable record.
    func sequence() throws(BenchmarkError) -> UInt64 { try call(PingMethod.self, NoFields()).sequence }

    /// One of the daemon's metrics, if it has it.
    func metric(_ name: String) throws(BenchmarkError) -> Double? {
        for line in try call(MetricsMethod.self, NoFields()).text.split(separator: "\n") where line.hasPrefix(name) {
            let rest = line.dropFirst(name.count)
            guard rest.first == " " || rest.first == "{" else { continue }
            return rest.split(separator: " ").last.flatMap { Double($0) }
        }
        return nil
    }

    private static func tried<Result>(_ body: () throws(VarlinkClientError) -> Result) throws(BenchmarkError) -> Result {
        do { return try body() } catch { throw BenchmarkError("the daemon does not answer: \(error)") }
    }
}
