import CLoad
import Foundation

/// What the load generator sends.
///
/// It is C, on one thread: it shares two processors with the daemon, and what it costs the daemon does not get.
struct Load: Sendable {
    var connections = 1
    var pipelined = 1
    /// How many calls; 0: for `nanoseconds`.
    var calls = 0
    var nanoseconds: UInt64 = 0
    var isKeyed = true
    /// Whether the texts are whole calls.
    var isWhole = false
    /// Whose connections they are.
    var uid = geteuid()
    /// Whether error replies are expected.
    var mayFail = false

    /// What came of it.
    struct Result: Sendable {
        var answered: Int
        var seconds: Double
        /// From the call's write to its answer, in nanoseconds.
        var latencies: [UInt64]

        var perSecond: Double { Double(answered) / seconds }
    }

    /// Dispatches; any error reply is an error.
    func run(_ actions: ActionTexts, on socket: String, latenciesMax: Int = 1_000_000) throws(BenchmarkError) -> Result {
        var options = cload_options(
            connections: UInt32(connections), pipelined: UInt32(pipelined), calls: UInt64(calls), nanoseconds: nanoseconds,
            keyed: isKeyed ? 1 : 0, whole: isWhole ? 1 : 0, uid: uid)
        var latencies = [UInt64](repeating: 0, count: latenciesMax)
        var result = cload_result()
        var reply = [UInt8](repeating: 0, count: 512)
        let code = cload_run(
            socket, actions.bytes, actions.bytes.count, &options, &latencies, latencies.count, &result, &reply, reply.count)
        guard code == 0 else {
            throw BenchmarkError("load on \(socket) after \(result.answered) answers: \(String(cString: strerror(code)))")
        }
        guard result.errors == 0 || mayFail else {
            let text = String(decoding: reply.prefix { $0 != 0 }, as: UTF8.self)
            throw BenchmarkError("\(result.errors) of \(result.answered) dispatches were refused; the first: \(text)")
        }
        latencies.removeLast(latencies.count - Int(result.latencies))
        return Result(answered: Int(result.answered), seconds: Double(result.nanoseconds) / 1e9, latencies: latencies)
    }
}
