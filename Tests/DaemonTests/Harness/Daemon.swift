import EtcdTesting
import Foundation
import Glibc
import ProcessTesting
import TestSupport

/// A real todod with its own directory and socket.
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

    /// For a daemon that needs a local log even with `TEST_CLUSTER`.
    ///
    /// A shared log refuses imports, forgetting keys, and batches that are too large for members, and a copied or restored
    /// directory continues as a copy of the same log.
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

    /// Starts a daemon and waits until it is ready.
    static func started(environment: [String: String] = [:], flags: [String] = []) throws -> Daemon {
        let daemon = try Daemon(environment: environment, flags: flags)
        try daemon.start()
        return daemon
    }

    deinit {
        process?.signal(SIGKILL)
        _ = try? process?.wait(seconds: 10)
        // A killed daemon has no exit status that indicates a sanitizer's report.
        for number in 1...max(1, starts) { Sanitizer.expectNoReport(in: output(ofStart: number)) }
    }

    // MARK: - Life cycle

    var pid: pid_t { process?.pid ?? -1 }

    /// The standard output and error of the last start.
    var output: String { output(ofStart: starts) }

    private func output(ofStart number: Int) -> String {
        (try? String(contentsOfFile: outputPath(ofStart: number), encoding: .utf8)) ?? ""
    }

    private func outputPath(ofStart number: Int) -> String { "\(directory.path)/output.\(number)" }

    /// Starts the daemon and waits until it reports that it is ready.
    func start() throws {
        let process = try launch()
        guard try notifications.await("READY=1", from: process) != nil else {
            throw DidNotStart(end: try process.wait(seconds: 0), output: output)
        }
    }

    /// Starts the daemon, expects a failure, and returns how it ended.
    func startRefused(seconds: Double = 60) throws -> ChildProcess.End? {
        try launch().wait(seconds: seconds)
    }

    /// Starts the daemon without waiting.
    ///
    /// `around` is a command that gets the daemon's command line as arguments.
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

    /// The environment of its start.
    var variables: [String: String] {
        Command.environment
            .merging(["HOME": directory.path, "NOTIFY_SOCKET": notifications.path]) { $1 }
            .merging(cluster) { $1 }
            .merging(environment) { $1 }
    }

    /// With `TEST_CLUSTER` the whole suite runs on shared logs, each of one daemon.
    private var cluster: [String: String] {
        guard EtcdCluster.sharedCount != nil, Set(flags).isDisjoint(with: ["--ephemeral", "--inspect"]),
            let shared = try? EtcdCluster.shared.get()
        else { return [:] }
        let name = data.filter { $0.isLetter || $0.isNumber || $0 == "." }.suffix(60)
        return ["TODOD_CLUSTER": "etcd://\(shared.endpoints.joined(separator: ","))/\(name)"]
    }

    /// Kills the daemon.
    func kill() throws {
        process?.signal(SIGKILL)
        _ = try process?.wait(seconds: 30)
    }

    /// Stops the daemon as systemd does and returns how it ended.
    @discardableResult
    func stop(seconds: Double = 60) throws -> ChildProcess.End? {
        signal(SIGTERM)
        return try waitForEnd(seconds: seconds)
    }

    func signal(_ number: Int32) { process?.signal(number) }

    func waitForEnd(seconds: Double) throws -> ChildProcess.End? { try process?.wait(seconds: seconds) }

    /// Kills the daemon and starts it again.
    func crash() throws {
        try kill()
        try start()
    }

    /// Waits for a message to the service manager.
    func notification(_ prefix: String, seconds: Double = 60) throws -> [String]? {
        guard let process else { return nil }
        return try notifications.await(prefix, from: process, seconds: seconds)
    }

    // MARK: - Clients

    func connect(seconds: Double = 60) throws -> Client { try Client(socket, seconds: seconds) }

    /// Runs todoctl.
    func todoctl(
        _ arguments: String..., input: [UInt8] = [], environment: [String: String] = [:], seconds: Double = 120
    ) throws -> Command.Outcome {
        try Command.run(
            [Products.todoctl] + arguments,
            environment: ["HOME": directory.path, "TODOD_SOCKET": socket].merging(environment) { $1 }, input: input,
            seconds: seconds)
    }

    // MARK: - Resources

    /// The anonymous memory of the process in KiB.
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
        // The program's name may contain spaces. The fields after its bracket may not.
        let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
        return (fields.dropFirst(11).prefix(2).compactMap { Double($0) }.reduce(0, +)) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    /// The files with a cached state beside the log.
    func snapshots() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: data).filter { $0.contains("snapshot") }.sorted()
            .map { "\(data)/\($0)" }
    }
}
