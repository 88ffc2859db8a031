import Foundation
import Synchronization
import Varlink

/// A server that plays a script: the answers to the calls of each connection.
///
/// It runs on its own thread and records the calls.
final class FakeDaemon: Sendable {
    enum Step: Sendable {
        /// Answer with these frames, as JSON texts.
        case answer([String])
        /// Answer with these frames, then hang up.
        case breakOff([String])
        /// Read a call and do not answer.
        case ignore
        /// Accept another connection and answer its call with the first frames, then answer with the second.
        case answerAfterOther([String], [String])
        /// Hang up without an answer.
        case hangUp
    }

    var path: String { socket.path }
    private let calls = Mutex<[Call]>([])
    private let socket: ListeningSocket

    /// All calls in order, over all connections.
    var received: [Call] { calls.withLock { $0 } }

    init(_ connections: [[Step]]) throws {
        socket = try ListeningSocket(places: 8)
        let thread = Thread { [self] in
            for steps in connections {
                let connection = accept(socket.descriptor, nil, nil)
                guard connection >= 0 else { return }
                // A client that waits for more than the script contains should fail, not hang.
                var limit = timeval(tv_sec: 20, tv_usec: 0)
                setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
                play(steps, on: connection)
                close(connection)
            }
            shutdown(socket.descriptor, Int32(SHUT_RDWR))
        }
        thread.start()
    }

    private func answer(_ frames: [String], on connection: Int32) {
        for frame in frames {
            let sent = Array(frame.utf8) + [0]
            _ = send(connection, sent, sent.count, Int32(MSG_NOSIGNAL))
        }
    }

    private func play(_ steps: [Step], on connection: Int32) {
        var bytes: [UInt8] = []
        for step in steps {
            while !bytes.contains(0) {
                var piece = [UInt8](repeating: 0, count: 65_536)
                let count = read(connection, &piece, piece.count)
                guard count > 0 else { return }
                bytes.append(contentsOf: piece[..<count])
            }
            let end = bytes.firstIndex(of: 0) ?? 0
            if let call = try? Call(parsing: Array(bytes[..<end]).span) { calls.withLock { $0.append(call) } }
            bytes.removeSubrange(...end)
            switch step {
            case .answer(let frames): answer(frames, on: connection)
            case .breakOff(let frames): return answer(frames, on: connection)
            case .answerAfterOther(let others, let frames):
                let other = accept(socket.descriptor, nil, nil)
                play([.breakOff(others)], on: other)
                close(other)
                answer(frames, on: connection)
            case .ignore: break
            case .hangUp: return
            }
        }
        // Wait for the client to hang up, so that nothing it sends gets lost.
        var piece = [UInt8](repeating: 0, count: 4096)
        while read(connection, &piece, piece.count) > 0 {}
    }
}
