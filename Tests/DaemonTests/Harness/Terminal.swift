import Foundation
import Testing

/// A shell on a real terminal of 120 columns and 40 lines, in tmux; it ends with whoever holds it.
final class Terminal {
    static let tmux = Products.tool("tmux")

    private let socket: String

    /// Opens one; tmux keeps its socket in the directory.
    init(_ directory: String) throws {
        socket = directory + "/tmux"
        _ = try run("new-session", "-d", "-x", "120", "-y", "40", "/bin/sh")
    }

    deinit { _ = try? run("kill-server") }

    /// Presses keys, by tmux's names for them.
    func press(_ keys: String...) throws { _ = try run(["send-keys"] + keys) }

    /// Gives it another size.
    func resize(columns: Int, lines: Int) throws { _ = try run("resize-window", "-x", "\(columns)", "-y", "\(lines)") }

    /// Runs a command in a second pane, below the first, which alone is looked at.
    func besides(_ command: String) throws { _ = try run("split-window", command) }

    /// Waits until the screen has a text.
    func shows(_ wanted: String) throws -> Bool { try becomes { $0.contains(wanted) } }

    /// Waits until the screen has a text no longer.
    func hides(_ unwanted: String) throws -> Bool { try becomes { !$0.contains(unwanted) } }

    private func becomes(_ condition: (String) -> Bool) throws -> Bool {
        let deadline = Deadline(seconds: 30)
        while deadline.milliseconds > 0 {
            if condition(try run("capture-pane", "-p", "-t", ":0.0")) { return true }
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
