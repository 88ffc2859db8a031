import DiskLog
import Glibc
import Records
import StoreRuntime

#if Cluster
    import ReplicatedLog
#endif

/// What is read from files and written to them, beside the dispatches.
final class HistoryFiles: Sendable {
    let log: any ActionLog
    let uploads: Uploads
    /// Where the log lies; that of a daemon that keeps nothing is not made.
    let directory: String
    let work = FileWork(name: "files")
    /// Where what a client handed over is read: a single line may take seconds.
    let imports = FileWork(name: "imports")
    let base = SharedBase()
    let clusterQuestions = ClusterQuestions()

    /// What this machine has on disk, also of a log that it shares; `nil`: nothing.
    var diskLog: LMDBActionLog? { shared?.copy as? LMDBActionLog ?? log as? LMDBActionLog }

    /// The log, if several machines share it.
    var shared: SharedLog? { SharedLog.of(log) }

    init(_ opened: OpenedLog<some DaemonApp>, _ configuration: Configuration) {
        log = opened.log
        directory = configuration.dataDirectory
        // A daemon that keeps nothing has no directory of its own.
        uploads = Uploads(
            directory: opened.mode == .ephemeral ? "/tmp" : configuration.dataDirectory,
            freeBytesMin: configuration[Setting.freeBytesMin])
    }
}

/// Does what takes as long as the disk takes, one thing after the other, on a thread of its own.
actor FileWork {
    private nonisolated let thread: SerialThread

    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    init(name: String) { thread = SerialThread(name: name) }

    deinit { thread.end() }

    func run<Value: Sendable>(
        _ body: @Sendable () throws(ActionLogError) -> Value
    ) throws(ActionLogError) -> Value { try body() }

    /// Has something done that gives others their turn wherever it suspends.
    func run<Value: Sendable>(_ body: @Sendable (isolated FileWork) async throws -> Value) async throws -> Value {
        try await body(self)
    }
}
