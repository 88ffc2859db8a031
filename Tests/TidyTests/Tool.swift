import Foundation

/// A program of the machine that a test asks for its opinion.
struct Tool: Sendable {
    static let mandoc = Tool(path: "/usr/bin/mandoc")
    static let systemdAnalyze = Tool(path: "/usr/bin/systemd-analyze")
    static let sysusers = Tool(path: "/usr/bin/systemd-sysusers")

    let path: String

    var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: path) }

    /// Runs the program and gives its exit status and everything it printed.
    func run(_ arguments: [String], environment: [String: String] = [:]) throws -> (status: Int32, output: String) {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(filePath: path)
        process.arguments = arguments
        process.environment = ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8"].merging(environment) { $1 }
        process.standardOutput = pipe
        process.standardError = pipe
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: output, as: UTF8.self))
    }
}
