import CLoad
import Foundation

/// A program to start, with a clean environment: what the person who measures has configured must not count.
struct Program: Sendable {
    var arguments: [String]
    var environment: [String: String]
    var output: String

    init(_ arguments: [String], socket: String, output: URL) {
        self.arguments = arguments
        self.output = output.path
        let home = output.deletingLastPathComponent().path
        environment = [
            "HOME": home, "XDG_CONFIG_HOME": home, "XDG_RUNTIME_DIR": home, "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8",
            "TODOD_SOCKET": socket,
        ]
    }

    /// Starts it; the answer is its process.
    func start() throws(BenchmarkError) -> Int32 {
        let arguments = Self.block(arguments)
        let environment = environmentBlock
        let process = cload_spawn(arguments, arguments.count, environment, environment.count, output)
        guard process > 0 else {
            throw BenchmarkError("cannot start \(self.arguments[0]): \(String(cString: strerror(-process)))")
        }
        return process
    }

    /// Starts it on a terminal of its own; the answer is its process, and the descriptor of the terminal's other side.
    func start(columns: UInt16, rows: UInt16) throws(BenchmarkError) -> (process: Int32, terminal: Int32) {
        let arguments = Self.block(arguments)
        let environment = environmentBlock
        var process: Int32 = 0
        let terminal = cload_spawn_terminal(
            arguments, arguments.count, environment, environment.count, columns, rows, &process)
        guard terminal >= 0 else {
            throw BenchmarkError("cannot start \(self.arguments[0]): \(String(cString: strerror(-terminal)))")
        }
        return (process, terminal)
    }

    /// Runs it to its end, which must be a good one; the answer is the wall time in milliseconds.
    func time() throws(BenchmarkError) -> Double {
        let arguments = Self.block(arguments)
        let environment = environmentBlock
        var nanoseconds: UInt64 = 0
        var status: Int32 = 0
        let code = cload_time(arguments, arguments.count, environment, environment.count, output, &nanoseconds, &status)
        guard code == 0 else { throw BenchmarkError("cannot run \(self.arguments[0]): \(String(cString: strerror(code)))") }
        guard status == 0 else {
            let said = (try? String(contentsOfFile: output, encoding: .utf8)) ?? ""
            throw BenchmarkError("\(self.arguments.joined(separator: " ")): wait status \(status): \(said.suffix(400))")
        }
        return Double(nanoseconds) / 1e6
    }

    private var environmentBlock: [UInt8] {
        Self.block(environment.map { "\($0.key)=\($0.value)" })
    }

    private static func block(_ strings: [String]) -> [UInt8] {
        strings.flatMap { Array($0.utf8) + [0] }
    }
}
