import CLoad
import Foundation

/// A connection to the JSON gateway of one member of an etcd cluster.
final class EtcdGateway {
    /// A key and its value.
    struct Entry: Decodable {
        var key: Data
        /// `nil`: it is empty.
        var value: Data?
    }

    private struct Range: Decodable {
        /// `nil`: there are none.
        var kvs: [Entry]?
    }

    private let port: UInt16
    private let descriptor: Int32
    private var buffer = [UInt8](repeating: 0, count: 1 << 16)

    init(port: UInt16) throws(BenchmarkError) {
        self.port = port
        descriptor = cload_connect_port(port)
        guard descriptor >= 0 else {
            throw BenchmarkError("the member at port \(port) does not answer: \(String(cString: strerror(-descriptor)))")
        }
    }

    deinit { close(descriptor) }

    /// The first keys from one up to another, with their values, or the last of all these.
    func entries(from first: String, upTo end: String, last: Bool = false) throws(BenchmarkError) -> [Entry] {
        let order = last ? #","sort_order":"DESCEND","limit":1"# : ""
        let answer = try ask("kv/range", #"{"key":"\#(Self.text(first))","range_end":"\#(Self.text(end))"\#(order)}"#)
        return try decoded(Range.self, answer).kvs ?? []
    }

    /// The value of a key, if there is one.
    func value(of key: String) throws(BenchmarkError) -> Data? {
        try decoded(Range.self, ask("kv/range", #"{"key":"\#(Self.text(key))"}"#)).kvs?.first?.value
    }

    /// Asks once; an answer with any status but 200 is an error.
    func ask(_ path: String, _ body: String) throws(BenchmarkError) -> Data {
        let head =
            "POST /v3/\(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nContent-Type: application/json\r\n"
            + "Accept: application/json\r\nGrpc-Metadata-hasleader: true\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
        try send(head + body)
        var bytes = Data()
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            guard count > 0 else { throw failure(count < 0 ? String(cString: strerror(errno)) : "it hung up") }
            bytes.append(contentsOf: buffer[..<count])
            guard let answer = HTTPAnswer(bytes) else { continue }
            guard answer.isGood else { throw failure(String(decoding: answer.body.suffix(400), as: UTF8.self)) }
            return answer.body
        }
    }

    func decoded<Answer: Decodable>(_ type: Answer.Type, _ bytes: Data) throws(BenchmarkError) -> Answer {
        do { return try JSONDecoder().decode(type, from: bytes) } catch { throw failure("\(error)") }
    }

    /// How bytes stand in what it is asked.
    static func text(_ bytes: String) -> String { Data(bytes.utf8).base64EncodedString() }

    private func send(_ request: String) throws(BenchmarkError) {
        var left = Array(request.utf8)[...]
        while !left.isEmpty {
            let count = left.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { throw failure(String(cString: strerror(errno))) }
            left = left.dropFirst(count)
        }
    }

    private func failure(_ what: String) -> BenchmarkError { BenchmarkError("the member at port \(port): \(what)") }
}

/// An answer over HTTP that is there as a whole.
private struct HTTPAnswer {
    var isGood: Bool
    var body: Data

    private static let headEnd = Data("\r\n\r\n".utf8)
    private static let lineEnd = Data("\r\n".utf8)
    private static let lastChunk = Data("\r\n0\r\n\r\n".utf8)

    /// `nil`: there is more to come.
    init?(_ bytes: Data) {
        guard let end = bytes.range(of: Self.headEnd) else { return nil }
        let head = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
        isGood = head.hasPrefix("HTTP/1.1 200 ")
        let rest = bytes[end.upperBound...]
        if let length = Self.length(head) {
            guard rest.count >= length else { return nil }
            body = rest
            return
        }
        guard rest.suffix(Self.lastChunk.count) == Self.lastChunk else { return nil }
        // Sizes and chunks, a line each: there is no end of a line in JSON as the gateway writes it.
        body = Data()
        var start = rest.startIndex
        var isSize = true
        while let found = rest.range(of: Self.lineEnd, in: start..<rest.endIndex) {
            if !isSize { body.append(rest[start..<found.lowerBound]) }
            isSize.toggle()
            start = found.upperBound
        }
    }

    /// `nil`: it comes in chunks.
    private static func length(_ head: String) -> Int? {
        for line in head.split(separator: "\r\n") {
            let parts = line.split(separator: ": ")
            if parts.count == 2, parts[0].lowercased() == "content-length" { return Int(parts[1]) }
        }
        return nil
    }
}
