import CLoad
import Foundation

/// A connection that asks one call at a time.
final class Client {
    private let descriptor: Int32
    private var input: [UInt8] = []

    /// Connects; `nil` if nobody listens.
    init?(_ socket: String) {
        descriptor = cload_connect(socket)
        if descriptor < 0 { return nil }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Sends a call without waiting for its reply.
    func send(_ method: String, _ parameters: String = "{}", more: Bool = false) throws(BenchmarkError) {
        let text = #"{"method":"\#(method)","parameters":\#(parameters)\#(more ? #","more":true"# : "")}"#
        var bytes = Array(text.utf8) + [0]
        while !bytes.isEmpty {
            let count = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
            guard count > 0 else { throw BenchmarkError("cannot send \(method): \(String(cString: strerror(errno)))") }
            bytes.removeFirst(count)
        }
    }

    /// Reads the next reply's parameters.
    func reply() throws(BenchmarkError) -> [String: Any] {
        let frame = try frame()
        let object = (try? JSONSerialization.jsonObject(with: Data(frame))) as? [String: Any] ?? [:]
        if let error = object["error"] { throw BenchmarkError("\(error): \(object["parameters"] ?? "")") }
        return object["parameters"] as? [String: Any] ?? [:]
    }

    /// Reads all replies of a call with `more`, and gives the last one; what comes before it is not looked into.
    @discardableResult
    func last() throws(BenchmarkError) -> [String: Any] {
        while true {
            let frame = try frame()
            if frame.suffix(64).contains(Self.continues) { continue }
            let object = (try? JSONSerialization.jsonObject(with: Data(frame))) as? [String: Any] ?? [:]
            if let error = object["error"] { throw BenchmarkError("\(error): \(object["parameters"] ?? "")") }
            return object["parameters"] as? [String: Any] ?? [:]
        }
    }

    private static let continues = Array(#""continues":true"#.utf8)

    /// Sends a call and reads its one reply.
    @discardableResult
    func call(_ method: String, _ parameters: String = "{}") throws(BenchmarkError) -> [String: Any] {
        try send(method, parameters)
        return try reply()
    }

    /// The last durable record.
    func sequence() throws(BenchmarkError) -> Int {
        guard let sequence = try call("org.todod.Admin.Ping")["sequence"] as? Int else {
            throw BenchmarkError("Ping has no sequence")
        }
        return sequence
    }

    /// One of the daemon's metrics, if it has it.
    func metric(_ name: String) throws(BenchmarkError) -> Double? {
        let text = try call("org.todod.Admin.Metrics")["text"] as? String ?? ""
        for line in text.split(separator: "\n") where line.hasPrefix(name) {
            let rest = line.dropFirst(name.count)
            guard rest.first == " " || rest.first == "{" else { continue }
            return rest.split(separator: " ").last.flatMap { Double($0) }
        }
        return nil
    }

    private func frame() throws(BenchmarkError) -> [UInt8] {
        var searched = 0
        while true {
            if let end = input[searched...].firstIndex(of: 0) {
                defer { input.removeFirst(end + 1) }
                return Array(input[..<end])
            }
            searched = input.count
            var chunk = [UInt8](repeating: 0, count: 65_536)
            let count = read(descriptor, &chunk, chunk.count)
            guard count > 0 else { throw BenchmarkError("the daemon closed the connection") }
            input += chunk[..<count]
        }
    }
}
