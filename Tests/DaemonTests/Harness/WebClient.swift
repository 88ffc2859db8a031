import Foundation
import Glibc
import ProcessTesting

/// A raw HTTP client for local servers that can also send what no browser would.
struct WebClient: Sendable {
    struct Answer {
        let status: Int
        /// The fields by their names in lower case.
        let fields: [String: String]
        let body: String
    }

    let port: Int
    let token: String

    /// The client of an address as `todoctl web` prints it, or `nil` if it is invalid.
    init?(_ address: String) {
        guard let parts = address.wholeMatch(of: /http:\/\/127\.0\.0\.1:([0-9]+)\/#token=([0-9a-f]{32})/),
            let port = Int(parts.1)
        else { return nil }
        (self.port, token) = (port, String(parts.2))
    }

    /// The fields of a call as the page sends it.
    var fields: [String: String] {
        [
            "Host": "127.0.0.1:\(port)", "Origin": "http://127.0.0.1:\(port)", "Authorization": "Bearer \(token)",
            "Content-Type": "application/json", "Sec-Fetch-Site": "same-origin",
        ]
    }

    /// Makes a call.
    ///
    /// An empty text in place of a field omits the field.
    func call(_ method: String, _ body: String = "{}", _ changes: [String: String] = [:]) throws -> Answer {
        try answer("POST", "/call/" + method, fields.merging(changes) { $1 }, body)
    }

    /// Makes any request and reads the whole answer.
    func answer(_ verb: String, _ path: String, _ fields: [String: String], _ body: String = "") throws -> Answer {
        let connection = try WebRequest(port: port, Self.text(verb, path, fields, body))
        return try Self.answer(String(decoding: connection.rest(), as: UTF8.self))
    }

    /// Begins a call whose replies are read as they arrive.
    func stream(_ method: String, _ body: String = "{}") throws -> WebRequest {
        let fields = fields.merging(["Accept": "application/json-seq"]) { $1 }
        return try WebRequest(port: port, Self.text("POST", "/call/" + method, fields, body))
    }

    private static func text(_ verb: String, _ path: String, _ fields: [String: String], _ body: String) -> String {
        var fields = fields.merging(["Connection": "close"]) { $1 }
        if fields["Transfer-Encoding"] == nil, verb != "GET" { fields["Content-Length"] = String(body.utf8.count) }
        let lines = fields.filter { !$0.value.isEmpty }.map { "\($0.key): \($0.value)\r\n" }
        return "\(verb) \(path) HTTP/1.1\r\n\(lines.joined())\r\n\(body)"
    }

    private static func answer(_ text: String) throws -> Answer {
        guard let end = text.range(of: "\r\n\r\n") else { throw Unexpected("no answer of HTTP: \(text)") }
        let lines = text[..<end.lowerBound].components(separatedBy: "\r\n")
        guard let status = lines[0].split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
            throw Unexpected("no status: \(lines[0])")
        }
        let fields = lines.dropFirst().map { line in
            let parts = line.split(separator: ":", maxSplits: 1)
            return (parts[0].lowercased(), parts.dropFirst().joined().trimmingCharacters(in: .whitespaces))
        }
        return Answer(status: status, fields: Dictionary(fields) { $1 }, body: String(text[end.upperBound...]))
    }
}

/// A connection with one request on it.
final class WebRequest {
    private let descriptor: Int32
    private let deadline: Deadline
    private var bytes: [UInt8] = []
    /// Whether the connection was closed before everything was sent.
    let isCutOff: Bool

    init(port: Int, _ text: String, seconds: Double = 60) throws {
        deadline = Deadline(seconds: seconds)
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let (descriptor, size) = (descriptor, socklen_t(MemoryLayout<sockaddr_in>.size))
        let isConnected = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, size) == 0 }
        }
        guard isConnected else {
            close(descriptor)
            throw SystemFailure(what: "connect")
        }
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = Glibc.send(descriptor, Array(rest), rest.count, Int32(MSG_NOSIGNAL))
            // A server that refuses a request may not read all of it.
            guard count > 0 else { break }
            rest = rest.dropFirst(count)
        }
        isCutOff = !rest.isEmpty
    }

    deinit { close(descriptor) }

    /// Everything up to the end of the connection.
    func rest() throws -> [UInt8] {
        while try more() {}
        return bytes
    }

    /// The next reply of a stream, or `nil` at its end.
    func reply() throws -> String? {
        while true {
            if let start = bytes.firstIndex(of: 0x1E), let end = bytes[start...].firstIndex(of: 0x0A) {
                defer { bytes.removeFirst(end + 1) }
                return String(decoding: bytes[(start + 1)..<end], as: UTF8.self)
            }
            guard try more() else { return nil }
        }
    }

    /// Reads the next available bytes.
    ///
    /// Returns false at the end of the connection.
    func more() throws -> Bool {
        guard try deadline.awaitReadable(descriptor) else { throw Unexpected("nothing came in time") }
        var piece = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &piece, piece.count, 0)
        guard count > 0 else { return false }
        bytes += piece[..<count]
        return true
    }
}
