import DiskLog
import LinuxService
import Records

/// Makes a log from a backup, to be checked before anybody relies on it.
struct Restoring {
    private let program: Program
    private let configuration: Configuration

    init(_ program: Program, _ configuration: Configuration) {
        self.program = program
        self.configuration = configuration
    }

    /// The log is closed again at the end: no process opens one twice.
    func run(from backup: String) throws(StartFailure) {
        let directory = configuration.dataDirectory
        do throws(ActionLogError) {
            _ = try LMDBActionLog.restore(from: backup, to: directory)
            // Opening it begins the epoch and holds the commands.
            let log = try LMDBActionLog.open(
                directory: directory, configuration: LogConfiguration(mapBytes: configuration[Setting.mapBytes]))
            try log.anchor()
            DaemonServices.print(
                "Restored \(directory) up to record \(log.head.sequence), in a new epoch; checking it.")
            let held = try log.outbox().count
            if held > 0 { DaemonServices.print("\(held) open commands are held: todoctl commands release.") }
        } catch {
            throw StartFailure(error, directory: directory, of: program)
        }
    }
}
