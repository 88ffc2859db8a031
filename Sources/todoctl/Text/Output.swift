import Glibc
import Varlink

/// Standard output, written in large pieces.
///
/// A reader that has gone away (`| head`) ends the program quietly: it has what it wanted.
struct Output: ~Copyable {
    private var bytes: [UInt8] = []
    private static let pieceBytesMax = 65_536

    init() { bytes.reserveCapacity(Output.pieceBytesMax + 4096) }

    /// Writes a line; whatever of it comes from a user must be visible text already.
    mutating func line(_ text: String = "") {
        bytes.append(contentsOf: text.utf8)
        bytes.append(UInt8(ascii: "\n"))
        if bytes.count >= Output.pieceBytesMax { flush() }
    }

    /// Writes a file's text as it is.
    mutating func file(_ text: String) {
        bytes.append(contentsOf: text.utf8)
        if bytes.count >= Output.pieceBytesMax { flush() }
    }

    /// Writes an object as one line of JSON.
    mutating func json(_ members: [JSON.Member]) {
        var object: [UInt8] = []
        JSON.write(members, into: &object)
        json(object)
    }

    /// Writes JSON text on a line of its own.
    mutating func json(_ text: [UInt8]) {
        bytes.append(contentsOf: Visible.json(text))
        bytes.append(UInt8(ascii: "\n"))
        if bytes.count >= Output.pieceBytesMax { flush() }
    }

    /// Writes a text as it is.
    mutating func text(_ text: String) { bytes.append(contentsOf: text.utf8) }

    /// Writes any value as one line of JSON.
    mutating func json(_ value: JSON) {
        bytes.append(contentsOf: Visible.json(value.bytes))
        bytes.append(UInt8(ascii: "\n"))
        if bytes.count >= Output.pieceBytesMax { flush() }
    }

    /// Hands everything to the system.
    mutating func flush() {
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes { write(1, $0.baseAddress, $0.count) }
            if count < 0 {
                if errno == EINTR { continue }
                if errno == EPIPE { exit(0) }
                Output.complain("todoctl: standard output: \(String(cString: strerror(errno)))")
                exit(Failure.Code.inputOutput.rawValue)
            }
            written += count
        }
        bytes.removeAll(keepingCapacity: true)
    }

    /// Writes a line to standard error.
    static func complain(_ text: String) { note(text + "\n") }

    /// Writes to standard error as it is.
    static func note(_ text: String) { put(text, on: 2) }

    /// Writes to a descriptor at once; what can't be written is left out.
    static func put(_ text: String, on descriptor: Int32) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 || errno == EINTR else { return }
            rest = rest.dropFirst(max(0, count))
        }
    }
}
