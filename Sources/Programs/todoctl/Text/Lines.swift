import Glibc
import TodoRules

struct Lines {
    private let descriptor: Int32
    private var bytes: [UInt8] = []
    private var start = 0
    private var number = 0
    private var isAtEnd = false
    private static let lineBytesMax = 1 << 20

    init(descriptor: Int32 = 0) { self.descriptor = descriptor }

    var isExhausted: Bool { isAtEnd && start == bytes.count }

    /// The next line without its line end, or `nil` after the last; `text` is `nil` for invalid UTF-8.
    mutating func next() throws(Failure) -> (number: Int, text: String?)? {
        var searched = start
        while true {
            if let end = bytes[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                defer { start = end + 1 }
                return line(bytes[start..<end])
            }
            guard !isAtEnd else {
                guard start < bytes.count else { return nil }
                defer { start = bytes.count }
                return line(bytes[start...])
            }
            searched = bytes.count - start
            bytes.removeSubrange(..<start)
            start = 0
            guard bytes.count < Lines.lineBytesMax else {
                throw Failure(.usage, "Line \(number + 1) is longer than 1 MiB. Is this a text with one title a line?")
            }
            try fill()
        }
    }

    private mutating func fill() throws(Failure) {
        var piece = [UInt8](repeating: 0, count: 65_536)
        while true {
            try waitForInput()
            let count = read(descriptor, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Failure(.inputOutput, "Standard input: \(String(cString: strerror(errno))).") }
            if count == 0 { isAtEnd = true }
            bytes.append(contentsOf: piece[..<count])
            return
        }
    }

    /// Waits for input, or for a deferred signal.
    private func waitForInput() throws(Failure) {
        var input = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        repeat {
            guard !Interruption.isRequested else { throw Interruption.failure }
        } while poll(&input, 1, Interruption.pollMilliseconds) <= 0
    }

    private mutating func line(_ slice: ArraySlice<UInt8>) -> (number: Int, text: String?) {
        number += 1
        let content = slice.last == UInt8(ascii: "\r") ? slice.dropLast() : slice
        return (number, String(validating: content, as: UTF8.self))
    }
}

extension Lines {
    static func all() throws(Failure) -> [UInt8] {
        var lines = Lines()
        while !lines.isAtEnd { try lines.fill() }
        return lines.bytes
    }
}

enum SmallFile {
    struct Unreadable: Error { let number: Int32 }

    /// The bytes of a file; stops after `most` bytes, so a longer file yields slightly more.
    static func bytes(of path: String, about most: Int) throws(Unreadable) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Unreadable(number: errno) }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65_536)
        while bytes.count <= most {
            let count = read(descriptor, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Unreadable(number: errno) }
            if count == 0 { break }
            bytes += piece[..<count]
        }
        return bytes
    }
}

extension String {
    /// Without leading and trailing white space, by the daemon's rule.
    var trimmed: String { TitleRule.trimmed(self) }
}
