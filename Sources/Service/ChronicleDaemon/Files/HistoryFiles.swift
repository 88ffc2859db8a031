import ChronicleLog
import ChronicleStore
import DiskLog
import Glibc

#if Cluster
    import ReplicatedLog
#endif

final class HistoryFiles: Sendable {
    let log: any ActionLog
    let uploads: Uploads
    /// The directory of the log; not created for a log in memory.
    let directory: String
    let work = FileWork(name: "files")
    /// The thread that reads uploads: a single line may take seconds.
    let imports = FileWork(name: "imports")
    let base = SharedBase()

    /// This machine's log on disk, also the copy of a shared log; `nil`: none.
    var diskLog: LMDBActionLog? { shared?.copy as? LMDBActionLog ?? log as? LMDBActionLog }

    var shared: SharedLog? { SharedLog.of(log) }

    init(_ opened: OpenedLog<some DaemonApp>, _ configuration: Configuration) {
        log = opened.log
        directory = configuration.dataDirectory
        uploads = Uploads(
            directory: opened.mode == .ephemeral ? "/tmp" : configuration.dataDirectory,
            freeBytesMin: configuration[Setting.freeBytesMin])
    }
}

actor FileWork {
    private nonisolated let thread: SerialThread

    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    init(name: String) { thread = SerialThread(name: name) }

    deinit { thread.end() }

    func run<Value: Sendable>(_ body: @Sendable () throws(ActionLogError) -> Value) throws(ActionLogError) -> Value { try body() }

    /// Runs work that yields to other jobs wherever it suspends.
    func run<Value: Sendable>(_ body: @Sendable (isolated FileWork) async throws -> Value) async throws -> Value {
        try await body(self)
    }
}
