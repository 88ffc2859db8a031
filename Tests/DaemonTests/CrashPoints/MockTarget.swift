import Foundation
import Glibc
import ProcessTesting
import Synchronization

/// The target of a runner: accepts jobs on a socket, answers each, and records the calls.
final class MockTarget: Sendable {
    struct Call: Sendable, Equatable {
        /// The name of the command for its target.
        var id: String
        var attempt: Int
        var text: String
    }

    private struct Content {
        var calls: [Call] = []
        var answers: [String: [String]] = [:]
    }

    /// The data shared by its thread and the test.
    private final class Book: Sendable {
        let content = Mutex(Content())
    }

    let path: String
    private let listener: Int32
    private let book: Book
    private let heard: Channel

    init(path: String) throws {
        self.path = path
        let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard listener >= 0 else { throw SystemFailure(what: "socket") }
        self.listener = listener
        var address = try SocketAddress(path)
        guard address.withPointer({ bind(listener, $0, $1) }) == 0, listen(listener, 16) == 0 else {
            throw SystemFailure(what: "listen on \(path)")
        }
        heard = try Channel()
        book = Book()
        Thread.detachNewThread { [listener, book, heard] in
            while true {
                let connection = accept(listener, nil, nil)
                if connection < 0, errno == EINTR { continue }
                guard connection >= 0 else { break }
                _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
                Self.serve(connection, book, heard.theirs)
                close(connection)
            }
            close(listener)
            close(heard.theirs)
        }
    }

    // The thread wakes up and closes its descriptors.
    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        close(heard.ours)
    }

    /// The calls for a job, in order.
    func calls(of text: String) -> [Call] { book.content.withLock { $0.calls.filter { $0.text == text } } }

    /// Sets the answer to the next call for a job in place of `done`.
    func answer(_ text: String, with answer: String) {
        book.content.withLock { $0.answers[text, default: []].append(answer) }
    }

    /// Whether a call arrives within the time.
    func isCalled(within seconds: Double) throws -> Bool {
        var buffer = [UInt8](repeating: 0, count: 256)
        while recv(heard.ours, &buffer, buffer.count, Int32(MSG_DONTWAIT)) > 0 {}
        return try Deadline(seconds: seconds).awaitReadable(heard.ours)
    }

    private static func serve(_ connection: Int32, _ book: Book, _ heard: Int32) {
        var buffer = [UInt8](repeating: 0, count: 256)
        let count = read(connection, &buffer, buffer.count)
        let words = String(decoding: buffer.prefix(max(0, count)).prefix { $0 != 0x0A }, as: UTF8.self).split(separator: " ")
        guard words.count == 3, let attempt = Int(words[1]) else { return }
        let text = String(words[2])
        let answer = book.content.withLock { book in
            book.calls.append(Call(id: String(words[0]), attempt: attempt, text: text))
            return book.answers[text]?.isEmpty == false ? book.answers[text]?.removeFirst() : nil
        }
        _ = send(heard, "x", 1, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
        let line = (answer ?? "done") + "\n"
        _ = send(connection, line, line.utf8.count, Int32(MSG_NOSIGNAL))
    }
}
