import EtcdTesting
import Foundation
import Glibc
import ProcessTesting
import TestSupport

/// A real todod on a directory and a socket of its own.
final class Daemon {
    struct DidNotStart: Error, CustomStringConvertible {
        var end: ChildProcess.End?
        var output: String
        var description: String { "todod did not start (\(end.map(String.init(describing:)) ?? "still running")):\n\(output)" }
    }

    let directory: TemporaryDirectory
    let notifications: NotifySocket
    /// The directory of the log.
    var data: String
    let socket: String
    /// Variables and flags of every start.
    var environment: [String: String]
    var flags: [String]
    private var process: ChildProcess?
    private var starts = 0

    /// For a daemon whose log is its own, with `TEST_CLUSTER` too, because of what a shared one is not: an import, what forgets keys, and more
    /// at once than members take are refused there, and a copied or restored directory goes on as a copy of the same log.
    static let ownLog = ["TODOD_CLUSTER": ""]

    init(environment: [String: String] = [:], flags: [String] = [], data: String? = nil) throws {
        directory = TemporaryDirectory()
        self.data = data ?? directory.path + "/data"
        socket = directory.path + "/socket"
        notifications = try NotifySocket(path: directory.path + "/notify")
        self.environment = environment
        self.flags = flags
        try directory.write("", to: "todod.env")
    }

    /// Makes one that is ready.
    static func started(environment: [String: String] = [:], flags: [String] = []) throws -> Daemon {
        let daemon = try Daemon(environment: environment, flags: flags)
        try daemon.start()
        return daemon
    }

    deinit {
        process?.signal(SIGKILL)
        _ = try? process?.wait(seconds: 10)
        // One that is killed ends with no status that tells of a report.
        for number in 1...max(1, starts) { Sanitizer.expectNoReport(in: output(ofStart: number)) }
    }

    // MARK: - Its life

    var pid: pid_t { process?.pid ?? -1 }

    /// Everything that the daemon started last has written to its standard output and error.
    var output: String { output(ofStart: starts) }

    private func output(ofStart number: Int) -> String {
        (try? String(contentsOfFile: outputPath(ofStart: number), encoding: .utf8)) ?? ""
    }

    private func outputPath(ofStart number: Int) -> String { "\(directory.path)/output.\(number)" }

    /// Starts it and waits until it says that it is ready.
    func start() throws {
        let process = try launch()
        guard try notifications.await("READY=1", from: process) != nil else {
            throw DidNotStart(end: try process.wait(seconds: 0), output: output)
        }
    }

    /// Starts it to see it fail; gives how it ended.
    func startRefused(seconds: Double = 60) throws -> ChildProcess.End? {
        try launch().wait(seconds: seconds)
    }

    /// Starts it and waits for nothing; `around` is a command that is given the daemon's as its arguments.
    @discardableResult
    func launch(around wrapper: [String] = [], command: [String]? = nil) throws -> ChildProcess {
        precondition(process?.isRunning != true, "it is running already")
        while notifications.next() != nil {}
        starts += 1
        let descriptor = open(outputPath(ofStart: starts), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        defer { close(descriptor) }
        let place = flags.contains("--ephemeral") ? [] : ["--data", data]
        let standard = place + ["--socket", socket, "--config", directory.path + "/todod.env"]
        let process = try ChildProcess(
            wrapper + (command ?? [Products.todod] + standard + flags), environment: variables, output: descriptor,
            error: descriptor)
        self.process = process
        return process
    }

    /// The environment that it is started with.
    var variables: [String: String] {
        Command.environment
            .merging(["HOME": directory.path, "NOTIFY_SOCKET": notifications.path]) { $1 }
            .merging(cluster) { $1 }
            .merging(environment) { $1 }
    }

    /// With `TEST_CLUSTER` the whole suite runs on logs that a cluster gives their order, each of one daemon.
    private var cluster: [String: String] {
        guard EtcdCluster.sharedCount != nil, Set(flags).isDisjoint(with: ["--ephemeral", "--inspect"]),
            let shared = try? EtcdCluster.shared.get()
        else { return [:] }
        let name = data.filter { $0.isLetter || $0.isNumber || $0 == "." }.suffix(60)
        return ["TODOD_CLUSTER": "etcd://\(shared.endpoints.joined(separator: ","))/\(name)"]
    }

    /// Ends it without warning.
    func kill() throws {
        process?.signal(SIGKILL)
        _ = try process?.wait(seconds: 30)
    }

    /// Asks it to stop, as systemd does, and gives how it ended.
    @discardableResult
    func stop(seconds: Double = 60) throws -> ChildProcess.End? {
        signal(SIGTERM)
        return try waitForEnd(seconds: seconds)
    }

    func signal(_ number: Int32) { process?.signal(number) }

    func waitForEnd(seconds: Double) throws -> ChildProcess.End? { try process?.wait(seconds: seconds) }

    /// Kills it and starts it again.
    func crash() throws {
        try kill()
        try start()
    }

    /// Waits for a message to the service manager.
    func notification(_ prefix: String, seconds: Double = 60) throws -> [String]? {
        guard let process else { return nil }
        return try notifications.await(prefix, from: process, seconds: seconds)
    }

    // MARK: - Its clients

    func connect(seconds: Double = 60) throws -> Client { try Client(socket, seconds: seconds) }

    /// Runs the client for people.
    func todoctl(
        _ arguments: String..., input: [UInt8] = [], environment: [String: String] = [:], seconds: Double = 120
    ) throws -> Command.Outcome {
        try Command.run(
            [Products.todoctl] + arguments,
            environment: ["HOME": directory.path, "TODOD_SOCKET": socket].merging(environment) { $1 }, input: input,
            seconds: seconds)
    }

    // MARK: - Its traces

    /// What a process has of memory that belongs to no file, in KiB.
    func anonymousKiB() throws -> Int { try memoryKiB("RssAnon") }

    /// A line of /proc/PID/status in KiB.
    func memoryKiB(_ name: String) throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix(name + ":") } ?? ""
        return line.split(separator: " ").compactMap { Int($0) }.first ?? -1
    }

    /// The processor time that it has used, in seconds.
    func processorSeconds() throws -> Double {
        let text = try String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)
        // The program's name may hold spaces; the fields after its bracket may not.
        let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
        return (fields.dropFirst(11).prefix(2).compactMap { Double($0) }.reduce(0, +)) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    /// The files beside the log that hold a cached state.
    func snapshots() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: data).filter { $0.contains("snapshot") }.sorted()
            .map { "\(data)/\($0)" }
    }
}
