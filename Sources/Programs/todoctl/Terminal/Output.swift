import Chronicle
import Glibc
import TodoAPI
import Varlink

/// Standard output, written in large pieces.
///
/// A reader that has gone away (`| head`) ends the program quietly: it has what it wanted. A verb that has more to do than to be read
/// says so, and looks at `loss`.
struct Output: ~Copyable {
    /// Whether the program ends, quietly, when nobody reads on.
    var endsWithReader = true
    /// The number of the error because of which nothing more is written; only where the program does not end with its reader.
    private(set) var loss: Int32?
    private var bytes: [UInt8] = []
    private let encoding = TextEncoding.user
    private let isTerminal = isatty(1) == 1
    private static let pieceBytesMax = 65_536

    init() { bytes.reserveCapacity(Output.pieceBytesMax + 4096) }

    /// Writes a line; whatever of it comes from a user must be visible text already.
    mutating func line(_ text: String = "") { append(encoding.bytes(text + "\n")) }

    /// Writes a file of JSON lines as it is; on a terminal without what that would obey.
    mutating func file(_ text: String) {
        guard isTerminal else { return append(Array(text.utf8)) }
        for line in text.split(separator: "\n") { append(encoding.bytes(json: Visible.json(Array(line.utf8))) + Output.lineFeed) }
    }

    /// Writes an object as one line of JSON.
    mutating func json(_ members: [Value.Field]) {
        var object: [UInt8] = []
        JSON.write(members, into: &object)
        json(object)
    }

    /// Writes a message as one line of JSON.
    mutating func json(_ message: some Message) {
        var object: [UInt8] = []
        message.write(into: &object)
        json(object)
    }

    /// Writes any value of a feature as one line of JSON.
    mutating func json(_ value: Value) {
        var text: [UInt8] = []
        value.write(into: &text)
        json(text)
    }

    /// Writes JSON text on a line of its own: UTF-8 wherever a program reads it.
    mutating func json(_ text: [UInt8]) {
        let visible = Visible.json(text)
        append((isTerminal ? encoding.bytes(json: visible) : visible) + Output.lineFeed)
    }

    private mutating func append(_ piece: [UInt8]) {
        guard loss == nil else { return }
        bytes.append(contentsOf: piece)
        if bytes.count >= Output.pieceBytesMax { flush() }
    }

    private static let lineFeed = [UInt8(ascii: "\n")]

    /// Hands everything to the system.
    mutating func flush() {
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes { write(1, $0.baseAddress, $0.count) }
            if count < 0 {
                if errno == EINTR { continue }
                guard endsWithReader else {
                    loss = errno
                    break
                }
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
        var rest = TextEncoding.user.bytes(text)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 || errno == EINTR else { return }
            rest = rest.dropFirst(max(0, count))
        }
    }
}
