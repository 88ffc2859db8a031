import Foundation
import Glibc
import Synchronization
import Values

/// A connection of HTTP/2 on which transactions are asked for by gRPC: each is told as the gateway would have it, and answered so.
final class FakeRPC: Sendable {
    typealias Answering = @Sendable (_ path: String, _ request: String) -> FakeMember.Answer

    /// What whoever speaks HTTP/2 begins with.
    static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    private enum Kind { static let (data, headers, settings, ping, room): (UInt8, UInt8, UInt8, UInt8, UInt8) = (0, 1, 4, 6, 8) }
    private enum Flag { static let (end, acknowledged, headersEnd): (UInt8, UInt8, UInt8) = (1, 1, 4) }

    private let connection: Int32
    private let answering: Answering
    private let writing = Mutex(())

    /// - Parameter connection: stays the caller's.
    init(_ connection: Int32, _ answering: @escaping Answering) {
        (self.connection, self.answering) = (connection, answering)
    }

    /// Answers until the other side has closed it, and all that it asked before.
    func serve() {
        guard read(Self.preface.count) != nil else { return }
        // Room for large calls: of a stream at its begin, and of all together.
        write(Kind.settings, 0, 0, [0, 4] + Self.number(1 << 24))
        write(Kind.room, 0, 0, Self.number(1 << 24))
        var messages: [UInt32: [UInt8]] = [:]
        let open = DispatchGroup()
        while let head = read(9) {
            let length = head[..<3].reduce(0) { $0 << 8 | Int($1) }
            let (kind, flags, stream) = (head[3], head[4], head[5...].reduce(UInt32(0)) { $0 << 8 | UInt32($1) })
            guard let content = read(length) else { break }
            switch kind {
            case Kind.settings where flags & Flag.acknowledged == 0: write(Kind.settings, Flag.acknowledged, 0, [])
            case Kind.ping where flags & Flag.acknowledged == 0: write(Kind.ping, Flag.acknowledged, 0, content)
            case Kind.data:
                messages[stream, default: []] += content
                guard flags & Flag.end != 0, let message = messages.removeValue(forKey: stream) else { continue }
                open.enter()
                Thread.detachNewThread { [self] in
                    answer(message.dropFirst(5), on: stream)
                    open.leave()
                }
            default: break
            }
        }
        open.wait()
    }

    private func answer(_ message: ArraySlice<UInt8>, on stream: UInt32) {
        let request = MessageForm.transaction.value(of: message)
        let said = answering("kv/txn", "POST /v3/kv/txn\r\n\r\n" + String(decoding: request.jsonBytes, as: UTF8.self))
        let value = try? Value(parsing: Array(said.body.utf8))
        if said.status == 200 {
            let message = value.map { MessageForm.transactionAnswer.message(of: $0) } ?? Array(said.body.utf8)
            write(Kind.headers, Flag.headersEnd, stream, Self.ok)
            let bytes = [0] + Self.number(UInt32(message.count)) + message
            let pieceBytes = min((bytes.count + said.pieces - 1) / said.pieces, 1 << 14)
            for start in stride(from: 0, to: bytes.count, by: pieceBytes) {
                write(Kind.data, 0, stream, Array(bytes[start..<min(start + pieceBytes, bytes.count)]))
                if said.pieces > 1 { usleep(FakeMember.piecePause) }
            }
            write(Kind.headers, Flag.headersEnd | Flag.end, stream, Self.header("grpc-status", "0"))
        } else if let code = value?["code"]?.int {
            let words = value?["error"]?.text ?? value?["message"]?.text ?? ""
            let trailers = Self.header("grpc-status", "\(code)") + Self.header("grpc-message", words)
            write(Kind.headers, Flag.headersEnd | Flag.end, stream, Self.ok + trailers)
        } else {
            // The name of the status stands in the table of all.
            let status = "\(said.status)"
            write(Kind.headers, Flag.headersEnd | Flag.end, stream, [0x08, UInt8(status.utf8.count)] + Array(status.utf8))
        }
    }

    // What stands in the table of all for the status 200, and what is answered.
    private static let ok = [0x88] + header("content-type", "application/grpc")

    /// A header as HTTP/2 has it, spelled out.
    private static func header(_ name: String, _ value: String) -> [UInt8] {
        let value = Array(value.utf8.prefix(126))
        return [0, UInt8(name.utf8.count)] + Array(name.utf8) + [UInt8(value.count)] + value
    }

    private static func number(_ number: UInt32) -> [UInt8] { withUnsafeBytes(of: number.bigEndian) { Array($0) } }

    private func write(_ kind: UInt8, _ flags: UInt8, _ stream: UInt32, _ content: [UInt8]) {
        let bytes = Self.number(UInt32(content.count)).dropFirst() + [kind, flags] + Self.number(stream) + content
        writing.withLock { _ in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = send(connection, Array(rest), rest.count, Int32(MSG_NOSIGNAL))
                guard count > 0 else { return }
                rest = rest.dropFirst(count)
            }
        }
    }

    private func read(_ count: Int) -> [UInt8]? {
        var (bytes, piece) = ([UInt8](), [UInt8](repeating: 0, count: 65_536))
        while bytes.count < count {
            let found = recv(connection, &piece, min(piece.count, count - bytes.count), 0)
            guard found > 0 else { return nil }
            bytes += piece[..<found]
        }
        return bytes
    }
}
