import Foundation
import ProcessTesting

/// An optional program of the machine that checks files.
struct Tool: Sendable {
    static let mandoc = Tool(path: "/usr/bin/mandoc")
    static let systemdAnalyze = Tool(path: "/usr/bin/systemd-analyze")
    static let sysusers = Tool(path: "/usr/bin/systemd-sysusers")

    let path: String

    var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: path) }

    /// Runs the program; returns its exit status and its output, including errors.
    func run(_ arguments: [String], environment: [String: String] = [:]) throws -> (status: Int32, output: String) {
        let outcome = try Command.run([path] + arguments, environment: environment)
        guard case .exit(let status) = outcome.end else { return (-1, "\(outcome)") }
        return (status, outcome.text + outcome.error)
    }
}
