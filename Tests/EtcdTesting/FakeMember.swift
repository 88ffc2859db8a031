import Foundation
import Glibc
import TestSupport

/// A server whose answers a test chooses, unlike those of a real member.
public final class FakeMember: Sendable {
    /// The answer to a request.
    public struct Answer: Sendable {
        var status: Int
        var body: String
        /// The number of chunks, with a pause after each.
        var pieces: Int

        public init(_ status: Int, _ body: String, pieces: Int = 1) {
            (self.status, self.body, self.pieces) = (status, body, pieces)
        }
    }

    /// An empty answer of a member.
    public static let nothing = #"{"header":{}}"#

    public var endpoint: String { listener.endpoint }
    private let listener: FakeListener

    /// - Parameter answer: the answer to a request, given its path after `/v3/` and its body.
    public init(_ answer: @escaping @Sendable (_ path: String, _ request: String) -> Answer) {
        listener = FakeListener { Self.serve($0, answer) }
    }

    /// The answer of a real member.
    public static func answer(of member: String, to path: String, _ request: String) -> Answer {
        let body = request.range(of: "\r\n\r\n").map { request[$0.upperBound...] } ?? ""
        // HTTP/1.0: the answer ends with the connection.
        let call = "POST /v3/\(path) HTTP/1.0\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
        guard let connection = connect(to: member) else { return Answer(500, "{}") }
        defer { close(connection) }
        guard send(connection, Array(call.utf8), call.utf8.count, Int32(MSG_NOSIGNAL)) == call.utf8.count else {
            return Answer(500, "{}")
        }
        var (bytes, piece) = ([UInt8](), [UInt8](repeating: 0, count: 65_536))
        while case let count = recv(connection, &piece, piece.count, 0), count > 0 { bytes += piece[..<count] }
        let text = String(decoding: bytes, as: UTF8.self)
        let status = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 500
        return Answer(status, text.range(of: "\r\n\r\n").map { String(text[$0.upperBound...]) } ?? "{}")
    }

    /// A connection to a member, or `nil` if it is not reachable.
    static func connect(to member: String) -> Int32? {
        let connection = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        address.sin_port = (member.split(separator: ":").last.flatMap { UInt16($0) } ?? 0).bigEndian
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(connection, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        if isConnected { return connection }
        close(connection)
        return nil
    }

    /// Answers one request.
    private static func serve(_ connection: Int32, _ answer: @escaping @Sendable (String, String) -> Answer) {
        defer { close(connection) }
        guard let text = HTTPRequestText.received(on: connection) else { return }
        let path = text.split(separator: " ").dropFirst().first.map { String($0.dropFirst(4)) } ?? ""
        let said = answer(path, text)
        let digits = String(said.status)
        let status = String(repeating: "0", count: max(0, 3 - digits.count)) + digits
        let head = "HTTP/1.1 \(status) Said\r\nContent-Length: \(said.body.utf8.count)\r\nConnection: close\r\n\r\n"
        let bytes = Array((head + said.body).utf8)
        var sent = 0
        let pieceBytes = (bytes.count + said.pieces - 1) / said.pieces
        while sent < bytes.count {
            let piece = Array(bytes[sent..<min(sent + pieceBytes, bytes.count)])
            let count = send(connection, piece, piece.count, Int32(MSG_NOSIGNAL))
            guard count > 0 else { return }
            sent += count
            if said.pieces > 1 { usleep(piecePause) }
        }
    }

    /// The pause after each chunk in microseconds.
    static let piecePause: UInt32 = 300_000
}
