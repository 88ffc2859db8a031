import ActionLogs
import Glibc

/// What is read from files and written to them, beside the dispatches.
final class HistoryFiles: Sendable {
    let log: any ActionLog
    let uploads: Uploads
    /// Where the log lies; that of a daemon that keeps nothing is not made.
    let directory: String
    let work = FileWork()

    init(_ opened: OpenedLog<some DaemonApp>, _ configuration: Configuration) {
        log = opened.log
        directory = configuration.dataDirectory
        // A daemon that keeps nothing has no directory of its own.
        uploads = Uploads(
            directory: opened.mode == .ephemeral ? "/tmp" : configuration.dataDirectory, freeBytesMin: configuration.freeBytesMin)
    }
}
