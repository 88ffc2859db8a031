import Chronicle
import Glibc
import TodoAPI
import Varlink

/// Standard output, written in large pieces.
///
/// A closed reader (`| head`) ends the program quietly. A verb with more work than output clears `endsWithReader` and checks
/// `loss`.
struct Output: ~Copyable {
    /// Whether the program ends quietly when the reader closes the pipe.
    var endsWithReader = true
    /// The errno that stopped the output; only if the program does not end with its reader.
    private(set) var loss: Int32?
    private var bytes: [UInt8] = []
    private let encoding = TextEncoding.user
    private let isTerminal = isatty(1) == 1
    private static let pieceBytesMax = 65_536

    init() { bytes.reserveCapacity(Output.pieceBytesMax + 4096) }

    /// Writes a line; the caller must escape user text.
    mutating func line(_ text: String = "") { append(encoding.bytes(text + "\n")) }

    /// Writes a file of JSON lines; on a terminal, escapes control characters.
    mutating func file(_ text: String) {
        guard isTerminal else { return append(Array(text.utf8)) }
        for line in text.split(separator: "\n") { append(encoding.bytes(json: Visible.json(Array(line.utf8))) + Output.lineFeed) }
    }

    mutating func json(_ members: [Value.Field]) {
        var object: [UInt8] = []
        JSON.write(members, into: &object)
        json(object)
    }

    mutating func json(_ message: some Message) {
        var object: [UInt8] = []
        message.write(into: &object)
        json(object)
    }

    mutating func json(_ value: Value) {
        var text: [UInt8] = []
        value.write(into: &text)
        json(text)
    }

    /// Writes JSON text on its own line; always in UTF-8 if a program reads it.
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

    static func complain(_ text: String) { note(text + "\n") }

    static func note(_ text: String) { put(text, on: 2) }

    static func put(_ text: String, on descriptor: Int32) {
        var rest = TextEncoding.user.bytes(text)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 || errno == EINTR else { return }
            rest = rest.dropFirst(max(0, count))
        }
    }
}
