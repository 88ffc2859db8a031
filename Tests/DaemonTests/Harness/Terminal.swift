import Foundation
import ProcessTesting
import Testing

/// A shell on a real terminal, in tmux.
///
/// It ends with its owner.
final class Terminal {
    static let tmux = Products.tool("tmux")

    private let socket: String

    /// Opens a terminal.
    ///
    /// tmux keeps its socket in the directory.
    init(_ directory: String, columns: Int = 120, lines: Int = 40) throws {
        socket = directory + "/tmux"
        _ = try run("new-session", "-d", "-x", "\(columns)", "-y", "\(lines)", "/bin/sh")
    }

    deinit { _ = try? run("kill-server") }

    /// Presses keys by their names in tmux.
    func press(_ keys: String...) throws { _ = try run(["send-keys"] + keys) }

    /// Types a text in which no word is the name of a key.
    func type(_ text: String) throws { _ = try run("send-keys", "-l", text) }

    /// Resizes the terminal.
    func resize(columns: Int, lines: Int) throws { _ = try run("resize-window", "-x", "\(columns)", "-y", "\(lines)") }

    /// Runs a command in a second pane below the first.
    ///
    /// Only the first pane is checked.
    func besides(_ command: String) throws { _ = try run("split-window", command) }

    /// Waits until the screen contains a text.
    func shows(_ wanted: String) throws -> Bool { try becomes { $0.contains(wanted) } }

    /// Waits until the screen no longer contains a text.
    func hides(_ unwanted: String) throws -> Bool { try becomes { !$0.contains(unwanted) } }

    /// Waits until the contents of the screen meet a condition.
    func becomes(_ condition: (String) -> Bool) throws -> Bool {
        let hasBecome = try awaited { condition(try text()) }
        if !hasBecome { Issue.record("The screen has:\n\(try text())") }
        return hasBecome
    }

    /// Waits until a program uses the alternate screen, or no longer does.
    func isFilled(_ isFilled: Bool) throws -> Bool { try awaited { try state("alternate_on") == (isFilled ? "1" : "0") } }

    /// The contents of the screen, on request with the sequences of its styles.
    func text(styled: Bool = false) throws -> String {
        try run(["capture-pane", "-p", "-t", ":0.0"] + (styled ? ["-e"] : []))
    }

    /// Format variables of tmux for the terminal.
    func state(_ names: String...) throws -> String {
        let format = names.map { "#{\($0)}" }.joined(separator: " ")
        return try run("display-message", "-p", "-t", ":0.0", format).trimmingCharacters(in: .newlines)
    }

    private func awaited(_ condition: () throws -> Bool) throws -> Bool {
        let deadline = Deadline(seconds: 30)
        while deadline.milliseconds > 0 {
            if try condition() { return true }
        }
        return false
    }

    private func run(_ arguments: String...) throws -> String { try run(arguments) }

    private func run(_ arguments: [String]) throws -> String {
        let outcome = try Command.run(
            [try #require(Self.tmux), "-S", socket, "-f", "/dev/null"] + arguments, environment: ["TERM": "xterm"])
        #expect(outcome.end == .exit(0), "\(outcome)")
        return outcome.text
    }
}
