import CNcursesw
import Synchronization

public struct TerminalDescription: Sendable {
    public let colours: Int
    /// Whether it is known to support 24-bit colours.
    public let hasTrueColour: Bool

    let keys: [[UInt8]: ScreenKey]
    private let sequences: [String: String]
}

extension TerminalDescription {
    // ncurses keeps one terminal and one result buffer in global variables.
    private static let ncurses = Mutex(())

    public init(of name: String) throws(TerminalError) {
        guard !name.isEmpty, name != "dumb" else { throw .unable(name) }
        let read = Self.ncurses.withLock { _ in Self.read(name) }
        guard let read else { throw .unknown(name) }
        guard read.sequences["cup"] != nil, read.sequences["clear"] != nil else { throw .unable(name) }
        self = read
    }

    private static func read(_ name: String) -> TerminalDescription? {
        guard terminal_description_read(name) == 1 else { return nil }
        defer { terminal_description_free() }
        var sequences: [String: String] = [:]
        for name in names {
            guard let value = terminal_description_string(name) else { continue }
            sequences[name] = withoutDelays(String(cString: value))
        }
        var keys: [[UInt8]: ScreenKey] = [:]
        for (name, key) in keyNames {
            guard let value = terminal_description_string(name) else { continue }
            let bytes = Array(String(cString: value).utf8)
            // Single bytes need no table.
            if bytes.count > 1 { keys[bytes] = key }
        }
        return TerminalDescription(
            colours: max(Int(terminal_description_number("colors")), 0),
            hasTrueColour: terminal_description_flag("RGB") != 0 || terminal_description_flag("Tc") != 0, keys: keys,
            sequences: sequences)
    }

    /// A sequence by its terminfo name; empty if the terminal has none.
    func sequence(_ name: String) -> String { sequences[name] ?? "" }

    func has(_ name: String) -> Bool { sequences[name] != nil }

    func sequence(_ name: String, _ first: Int, _ second: Int = 0) -> String {
        guard let sequence = sequences[name] else { return "" }
        return Self.ncurses.withLock { _ in
            terminal_description_filled(sequence, Int32(clamping: first), Int32(clamping: second)).map { String(cString: $0) }
                ?? ""
        }
    }

    // Removes the padding of hardware terminals, written as `$<5>`.
    private static func withoutDelays(_ sequence: String) -> String {
        var (result, rest) = ("", sequence[...])
        while let start = rest.firstIndex(of: "$"), let end = rest[start...].firstIndex(of: ">"), rest[start...].hasPrefix("$<") {
            result += rest[..<start]
            rest = rest[rest.index(after: end)...]
        }
        return result + rest
    }

    private static let names = [
        "cup", "clear", "el", "ech", "sgr0", "bold", "dim", "rev", "smul", "smxx", "setaf", "setab", "op", "civis", "cnorm",
        "smcup",
        "rmcup", "smkx", "rmkx", "rmam", "smam", "kmous",
    ]

    private static let keyNames: [(String, ScreenKey)] =
        [
            ("kcuu1", .up), ("kcud1", .down), ("kcub1", .left), ("kcuf1", .right), ("khome", .home), ("kend", .end),
            ("kpp", .pageUp), ("knp", .pageDown), ("kdch1", .delete), ("kich1", .insert), ("kcbt", .backTab),
            ("kLFT", .arrow(.left, .shift)), ("kRIT", .arrow(.right, .shift)), ("kri", .arrow(.up, .shift)),
            ("kind", .arrow(.down, .shift)),
        ] + (1...12).map { ("kf\($0)", .function($0)) }
}

public enum TerminalError: Error, Equatable, Sendable {
    case noTerminal
    case unknown(String)
    case unable(String)
    case system(Int32)
}
