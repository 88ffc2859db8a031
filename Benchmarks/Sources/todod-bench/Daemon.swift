import CLoad
import Foundation

/// A running daemon with its data and its socket; ended by force if a part gives up before `stop`.
final class Daemon {
    let process: Int32
    let socket: String
    /// From its start to the first answered ping, in milliseconds.
    let startTime: Double
    private let output: URL
    private var isRunning = true

    /// Starts one and waits for its first answer, at most two minutes.
    init(_ setup: Setup, data: URL, environment: [String: String] = [:]) throws(BenchmarkError) {
        socket = setup.folder.sockets.appending(path: "\(data.lastPathComponent).socket").path
        output = setup.folder.sockets.appending(path: "\(data.lastPathComponent).out")
        var program = Program(
            [setup.todod, "--data", data.path, "--socket", socket], socket: socket, output: output)
        program.environment.merge(environment) { $1 }
        let start = cload_now()
        process = try program.start()
        startTime = try Self.untilAnswer(process, socket, output, start)
    }

    /// Connects to it.
    func client() throws(BenchmarkError) -> Client {
        do { return try Client(socket) } catch { throw BenchmarkError("\(error.message): \(Self.tail(output))") }
    }

    /// Ends it as systemd would, at most a minute later by force.
    func stop() throws(BenchmarkError) {
        isRunning = false
        kill(process, SIGTERM)
        var status: Int32 = 0
        if cload_wait(process, 60_000_000_000, &status) != 1 {
            Self.end(process)
            throw BenchmarkError("todod did not stop within a minute: \(Self.tail(output))")
        }
        if status != 0 { throw BenchmarkError("todod stopped with wait status \(status): \(Self.tail(output))") }
    }

    /// Ends it without a word.
    func end() {
        isRunning = false
        Self.end(process)
    }

    deinit {
        if isRunning { Self.end(process) }
    }

    private static func untilAnswer(
        _ process: Int32, _ socket: String, _ output: URL, _ start: UInt64
    ) throws(BenchmarkError) -> Double {
        while true {
            if (try? Client(socket).sequence()) != nil { return Double(cload_now() - start) / 1e6 }
            var status: Int32 = 0
            if cload_wait(process, 0, &status) != 0 {
                throw BenchmarkError("todod ended at its start (wait status \(status)): \(tail(output))")
            }
            if cload_now() - start > 120_000_000_000 {
                end(process)
                throw BenchmarkError("todod did not answer within two minutes: \(tail(output))")
            }
            usleep(200)
        }
    }

    private static func end(_ process: Int32) {
        var status: Int32 = 0
        kill(process, SIGKILL)
        _ = cload_wait(process, 5_000_000_000, &status)
    }

    private static func tail(_ file: URL) -> String {
        let said = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
        return String(said.suffix(600))
    }
}
