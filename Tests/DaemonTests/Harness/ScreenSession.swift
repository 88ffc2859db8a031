import Foundation
import Glibc
import ProcessTesting
import TestSupport

/// `todoctl screen` on a real terminal, and the shell below it.
final class ScreenSession {
    let terminal: Terminal
    private let daemon: Daemon
    private let columns: Int
    private var looks = 0

    /// A shell with some text on the terminal, before the screen is started.
    init(_ daemon: Daemon, columns: Int = 80, lines: Int = 24, hasColours: Bool = true) throws {
        self.daemon = daemon
        self.columns = columns
        terminal = try Terminal(daemon.directory.path, columns: columns, lines: lines)
        let colours = hasColours ? "unset NO_COLOR" : "export NO_COLOR=1"
        // No core dump and no backtrace of an intended crash.
        try daemon.directory.write(
            """
            \(colours); export HOME='\(daemon.directory.path)' SWIFT_BACKTRACE=enable=no; ulimit -c 0
            echo $$ > '\(file("pid"))'
            exec '\(Products.todoctl)' --socket '\(daemon.socket)' screen

            """, to: "screen.sh")
        try daemon.directory.write("stty -a > '\(file("modes"))'; echo \"the modes are written $1\"\n", to: "modes.sh")
    }

    /// Starts the screen and waits until it shows the present.
    func start(with key: String = "Enter") throws -> Bool {
        // The last picture of a killed screen may remain until then.
        let pid = file("pid")
        try? FileManager.default.removeItem(atPath: pid)
        try terminal.press("clear; echo 'the shell'; sh '\(file("screen.sh"))'", key)
        return try terminal.becomes { $0.contains("● LIVE") && FileManager.default.fileExists(atPath: pid) }
    }

    /// Sends a signal to the screen.
    func signal(_ number: Int32) throws {
        guard kill(try pid, number) == 0 else { throw SystemFailure(what: "kill") }
    }

    /// Waits until the process has ended.
    func isOver() throws -> Bool {
        let pid = try pid
        return try terminal.becomes { _ in kill(pid, 0) != 0 }
    }

    private var pid: pid_t {
        get throws {
            let text = try String(contentsOfFile: file("pid"), encoding: .utf8).trimmingCharacters(in: .newlines)
            guard let pid = pid_t(text), pid > 1 else { throw SystemFailure(what: "no process: \(text)") }
            return pid
        }
    }

    /// All properties of the shell's terminal once the shell has it back, or `nil`.
    func shellsTerminal(shows text: String = "the shell") throws -> [String]? {
        guard try terminal.isFilled(false), try terminal.shows(text) else { return nil }
        looks += 1
        try terminal.press("sh '\(file("modes.sh"))' \(looks)", "Enter")
        guard try terminal.shows("the modes are written \(looks)") else { return nil }
        let modes = try String(contentsOfFile: file("modes"), encoding: .utf8)
        let names = ["mouse_any_flag", "mouse_sgr_flag", "cursor_flag", "keypad_cursor_flag", "keypad_flag", "wrap_flag"]
        let isTextThere = try terminal.text().contains(text)
        return [modes] + (try names.map { "\($0) \(try terminal.state($0))" }) + ["the shell's text: \(isTextThere)"]
    }

    /// Types a line and presses Enter.
    func enter(_ text: String) throws {
        try terminal.type(text)
        try terminal.press("Enter")
    }

    /// Waits until the list has exactly these lines, ignoring blanks between words and marks of new rows.
    func lists(_ wanted: String...) throws -> Bool { try terminal.becomes { list(in: $0) == wanted } }

    /// Waits until the detail pane contains a text.
    func tells(_ wanted: String) throws -> Bool {
        try terminal.becomes { frame(in: $0).contains { $0.split(separator: "│").last?.contains(wanted) == true } }
    }

    /// Waits until the list begins with these lines.
    func listBegins(_ wanted: String...) throws -> Bool {
        try terminal.becomes { list(in: $0).starts(with: wanted) }
    }

    /// Waits until the heading names a moment and the list begins with these lines, ignoring selection and marks.
    func stands(at moment: String, with wanted: String...) throws -> Bool {
        try terminal.becomes { text in
            let heading = text.prefix { $0 != "\n" } + " "
            return heading.contains(moment) && list(in: text).map { $0.replacing(">", with: "") }.starts(with: wanted)
        }
    }

    /// The contents of the screen for the message of a failed test.
    var shown: String { (try? terminal.text()) ?? "" }

    /// Lines of the frame whose right border is not in the last column, including broken ones.
    var brokenLines: [String] {
        get throws {
            frame(in: try terminal.text()).filter { line in
                line.first != "│" || line.last != "│" || line.reduce(0, { $0 + Self.columns($1) }) != columns
            }
        }
    }

    /// Lines of the frame whose border is displaced, whatever width the terminal gives their contents.
    var displacedBorders: [String] {
        get throws {
            frame(in: try terminal.text()).filter { line in
                line.first != "│" || line.last != "│" || line.count(where: { $0 == "│" }) != 3
            }
        }
    }

    /// Whether anything has a colour.
    var isColoured: Bool {
        get throws {
            let sequences = try terminal.text(styled: true).matches(of: /\u{1B}\[([0-9;]*)m/)
            let numbers = sequences.flatMap { $0.1.split(separator: ";") }.compactMap { Int($0) }
            return numbers.contains { (30...38).contains($0) || (40...48).contains($0) || (90...107).contains($0) }
        }
    }

    private func file(_ name: String) -> String { "\(daemon.directory.path)/\(name)" }

    // The lines between the rule with the tabs and the one of the time strip.
    private func frame(in text: String) -> [String] {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        guard let first = lines.firstIndex(where: { $0.hasPrefix("┌") }),
            let last = lines.firstIndex(where: { $0.hasPrefix("└") }), first < last
        else { return [] }
        return Array(lines[(first + 1)..<last])
    }

    private func list(in text: String) -> [String] {
        frame(in: text).compactMap { line in
            let list = line.split(separator: "│", omittingEmptySubsequences: false).dropFirst().first ?? ""
            let words = list.replacing("•", with: " ").split(separator: " ")
            return words.isEmpty ? nil : words.joined(separator: " ")
        }
    }

    // For the characters in these tests.
    private static func columns(_ character: Character) -> Int {
        character.unicodeScalars.first.map { $0.value >= 0x3000 ? 2 : 1 } ?? 0
    }
}
