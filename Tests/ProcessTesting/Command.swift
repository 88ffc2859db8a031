import Foundation
import Glibc
import TestSupport

/// A program that runs to its end, with all its output.
public struct Command: Sendable {
    public struct Outcome: Sendable, CustomStringConvertible {
        public var end: ChildProcess.End
        /// Standard output.
        public var output: [UInt8]
        /// Standard error.
        public var error: String

        /// Standard output as text.
        public let text: String
        /// The lines of standard output that are not empty.
        public let lines: [String]

        /// The end and the output for the message of a failed test.
        public var description: String { "\(end)\n\(text.prefix(4096))\n\(error)" }

        init(end: ChildProcess.End, output: [UInt8], error: String) {
            self.end = end
            self.output = output
            self.error = error
            text = String(decoding: output, as: UTF8.self)
            lines = text.split(separator: "\n", omittingEmptySubsequences: true).map(String.init)
        }
    }

    /// The program did not end in time.
    public struct TookTooLong: Error {
        var command: [String]
        var output: String
    }

    /// The variables that programs need to run here, without any that could configure them.
    ///
    /// Those of sanitizers are included.
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
        // Files, not pipes, because nothing has to be read while the program runs.
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
