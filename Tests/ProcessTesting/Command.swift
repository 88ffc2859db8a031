import Foundation
import Glibc
import TestSupport

/// A program that runs to its end, with all that it said.
public struct Command: Sendable {
    /// What became of it.
    public struct Outcome: Sendable, CustomStringConvertible {
        /// How it ended.
        public var end: ChildProcess.End
        /// What it wrote.
        public var output: [UInt8]
        /// What it complained of.
        public var error: String

        /// What it wrote, as text.
        public let text: String
        /// The lines of that which are not empty.
        public let lines: [String]

        /// All of it, as a test tells it.
        public var description: String { "\(end)\n\(text.prefix(4096))\n\(error)" }

        init(end: ChildProcess.End, output: [UInt8], error: String) {
            self.end = end
            self.output = output
            self.error = error
            text = String(decoding: output, as: UTF8.self)
            lines = text.split(separator: "\n", omittingEmptySubsequences: true).map(String.init)
        }
    }

    /// It did not end in time.
    public struct TookTooLong: Error {
        var command: [String]
        var output: String
    }

    /// The variables that a program needs to run here, and none that could configure it; sanitizers keep theirs.
    public static let environment: [String: String] = {
        var variables = ["PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "LC_ALL": "C.UTF-8", "TZ": "UTC"]
        for name in ["LD_LIBRARY_PATH", "LD_PRELOAD", "ASAN_OPTIONS", "TSAN_OPTIONS"] {
            variables[name] = ProcessInfo.processInfo.environment[name]
        }
        return variables
    }()

    /// Runs a program and waits for its end.
    public static func run(
        _ command: [String], environment: [String: String] = [:], input: [UInt8] = [], seconds: Double = 60
    ) throws -> Outcome {
        let files = TemporaryDirectory()
        // Files, not pipes: nothing has to be read while the program runs.
        try Data(input).write(to: URL(fileURLWithPath: files.path + "/input"))
        let descriptors = ["input", "output", "error"].map { open("\(files.path)/\($0)", O_RDWR | O_CREAT | O_CLOEXEC, 0o600) }
        defer { for descriptor in descriptors { close(descriptor) } }
        let process = try ChildProcess(
            command, environment: Self.environment.merging(environment) { $1 }, input: descriptors[0], output: descriptors[1],
            error: descriptors[2])
        let end = try process.wait(seconds: seconds)
        let output = [UInt8](try Data(contentsOf: URL(fileURLWithPath: files.path + "/output")))
        let error = String(decoding: try Data(contentsOf: URL(fileURLWithPath: files.path + "/error")), as: UTF8.self)
        guard let end else {
            process.signal(SIGKILL)
            _ = try process.wait(seconds: 10)
            throw TookTooLong(command: command, output: String(decoding: output, as: UTF8.self) + error)
        }
        Sanitizer.expectNoReport(in: error)
        return Outcome(end: end, output: output, error: error)
    }
}
