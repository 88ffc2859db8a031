import Foundation
import Glibc
import ProcessTesting
import Varlink

/// A blocking client of one etcd member for operators, on the host of the member.
///
/// It shares no code with the daemon.
struct EtcdDoor: Sendable {
    /// A refusal of the member.
    struct Refusal: Error {
        var status: Int
        var message: String
    }

    /// The member did not answer in time.
    struct NoAnswer: Error {
        var address: String
        var path: String
    }

    let host: NetworkHost
    private var address: String { host.address }
    static let port: UInt16 = 2379

    /// Sends a request and returns the answer.
    func ask(_ path: String, _ body: Value = [:], seconds: Int = 5) throws -> Value {
        let descriptor = try host.enter { socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0) }
        guard descriptor >= 0 else { throw SystemFailure(what: "socket") }
        defer { close(descriptor) }
        var patience = timeval(tv_sec: seconds, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(descriptor, SOL_SOCKET, option, &patience, socklen_t(MemoryLayout<timeval>.size))
        }
        guard host.withAddress(port: Self.port, { connect(descriptor, $0, $1) }) == 0 else {
            throw SystemFailure(what: "connect to \(address)")
        }
        let content = body.jsonBytes
        // HTTP/1.0: the answer ends with the connection and arrives at once.
        let head = "POST /v3/\(path) HTTP/1.0\r\nHost: \(address)\r\nContent-Length: \(content.count)\r\n\r\n"
        try send(Array(head.utf8) + content, on: descriptor)
        return try Self.answer(receive(on: descriptor, to: path))
    }

    private func send(_ bytes: [UInt8], on descriptor: Int32) throws {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { throw SystemFailure(what: "send to \(address)") }
            sent += count
        }
    }

    private func receive(on descriptor: Int32, to path: String) throws -> [UInt8] {
        var (bytes, piece) = ([UInt8](), [UInt8](repeating: 0, count: 65_536))
        while true {
            let count = recv(descriptor, &piece, piece.count, 0)
            guard count >= 0 || errno != EAGAIN else { throw NoAnswer(address: address, path: path) }
            guard count >= 0 else { throw SystemFailure(what: "receive from \(address)") }
            if count == 0 { return bytes }
            bytes += piece[..<count]
        }
    }

    private static func answer(_ bytes: [UInt8]) throws -> Value {
        let text = String(decoding: bytes, as: UTF8.self)
        guard let end = text.range(of: "\r\n\r\n"), let status = text.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
        else { throw Refusal(status: 0, message: text) }
        let content = String(text[end.upperBound...])
        guard status == 200 else { throw Refusal(status: status, message: content) }
        return try Value(parsing: Array(content.utf8))
    }

    /// Bytes in the form of the gateway's JSON.
    static func text(_ bytes: some Sequence<UInt8>) -> Value { .text(Data(bytes).base64EncodedString()) }

    /// The bytes in an answer.
    static func bytes(_ value: Value?) -> [UInt8] { value?.text.flatMap { Data(base64Encoded: $0) }.map { Array($0) } ?? [] }
}
