import Foundation
import ProcessTesting
import TestSupport
import Testing

/// A user's session with the exact output: `session.txt`.
///
/// A line with `$` is a command, those with `>` are its output, with `!` its errors, and `=` is its status, if that is not 0.
/// Today's dates, times and the user's number are replaced by DAY, DATE TIME, HH:MM and ME. With TODOD_SESSION set the file is
/// written.
@Suite(.ownThreads) struct SessionTests {
    private static let path = Products.repository + "/Tests/DaemonTests/session.txt"

    /// A command and its output.
    private struct Step: Equatable {
        var command: String
        var answer: [String] = []
    }

    private static func steps() throws -> [Step] {
        var steps: [Step] = []
        for line in try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n") {
            if line.hasPrefix("$ ") {
                steps.append(Step(command: String(line.dropFirst(2))))
            } else {
                steps[steps.count - 1].answer.append(String(line))
            }
        }
        return steps
    }

    private static func environment(_ daemon: Daemon) -> [String: String] {
        let programs = URL(fileURLWithPath: Products.todoctl).deletingLastPathComponent().path
        return ["HOME": daemon.directory.path, "TODOD_SOCKET": daemon.socket, "PATH": programs + ":/usr/bin:/bin"]
    }

    /// The output of a command with the marks of the file.
    private static func answer(_ command: String, _ daemon: Daemon) throws -> [String] {
        let outcome = try Command.run(
            ["/bin/sh", "-c", "cd '\(daemon.directory.path)'\n" + command], environment: environment(daemon), seconds: 120)
        let written = lines(outcome.text, "> ", daemon) + lines(outcome.error, "! ", daemon)
        switch outcome.end {
        case .exit(0): return written
        case .exit(let status): return written + ["= \(status)"]
        default: return written + ["= \(outcome.end)"]
        }
    }

    private static func lines(_ text: String, _ mark: String, _ daemon: Daemon) -> [String] {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        if lines.last == "" { lines.removeLast() }
        return lines.map { line in
            var line = timeless(line).replacing(daemon.directory.path, with: "DIRECTORY")
            while line.last == " " { line.removeLast() }
            return line.isEmpty ? String(mark.dropLast()) : mark + line
        }
    }

    /// A line without values that differ in every run.
    private static func timeless(_ line: String) -> String {
        line.replacing(/20[2-7]\d-\d\d-\d\d \d\d:\d\d:\d\d/, with: "DATE TIME")
            .replacing(/(Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day \d+ [A-Z][a-z]+ 20[2-7]\d( \d\d:\d\d)?/, with: "DAY")
            .replacing(#/^\d\d:\d\d  /#, with: "HH:MM  ")
            .replacing(/uid \d+/, with: "uid ME")
    }

    @Test func `a session has exactly this output`() throws {
        let daemon = try Daemon.started()
        let steps = try Self.steps()
        #expect(steps.count >= 60)
        let actual = try steps.map { Step(command: $0.command, answer: try Self.answer($0.command, daemon)) }
        if ProcessInfo.processInfo.environment["TODOD_SESSION"] != nil {
            let lines = actual.flatMap { ["$ " + $0.command] + $0.answer }
            return try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: URL(fileURLWithPath: Self.path))
        }
        for (expected, actual) in zip(steps, actual) {
            #expect(
                actual.answer == expected.answer,
                "$ \(expected.command)\nTo write it: TODOD_SESSION=1 swift test --skip-build --traits CrashPoints --filter SessionTests"
            )
        }
    }

    @Test(.enabled(if: Terminal.tmux != nil, "tmux is not installed"))
    func `on a terminal the output contains at least the same`() throws {
        let daemon = try Daemon.started()
        let terminal = try Terminal(daemon.directory.path)
        let variables = Self.environment(daemon).merging(["LC_ALL": "C.UTF-8", "TZ": "UTC"]) { $1 }
        try terminal.resize(columns: 240, lines: 60)
        try terminal.press("export " + variables.map { "\($0)='\($1)'" }.sorted().joined(separator: " "), "Enter")
        try terminal.press("cd '\(daemon.directory.path)'", "Enter")
        for step in try Self.steps() {
            try terminal.press("clear; " + step.command, "Enter")
            if step.answer.contains(where: { $0.contains("Not a terminal") }) {
                #expect(try terminal.shows("[y/N]"), "\(step.command)")
                try terminal.press("n", "Enter")
                continue
            }
            let wanted = step.answer.filter { !$0.hasPrefix("=") }.map { String($0.dropFirst(2)) }
            let isShown = try terminal.becomes { screen in
                let lines = screen.split(separator: "\n").map { Self.timeless(String($0)) }
                return wanted.allSatisfy { line in line.isEmpty || lines.contains { $0.contains(line) } }
            }
            try #require(isShown, "\(step.command): \(wanted)")
        }
    }
}
