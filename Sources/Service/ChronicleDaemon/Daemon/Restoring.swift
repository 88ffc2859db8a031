import ChronicleLog
import DiskLog
import LinuxService
import Logging
import TimeTravel

struct Restoring<App: DaemonApp> {
    let program: Program
    let configuration: Configuration
    let output: LogOutput

    /// Closes the log at the end, because a process must not open a log twice.
    /// - Parameter point: the last record to restore; `nil`: all of the backup.
    func run(from backup: String, until point: String? = nil) throws(StartFailure) {
        let directory = configuration.dataDirectory
        let cluster = configuration[Setting.cluster]
        guard point == nil || cluster == nil else {
            throw StartFailure(
                .usage, "--until can't be used for a copy of a shared log, which continues with all of its records.")
        }
        let point = try point.map { text throws(StartFailure) in try RestorePoint(text) }
        var refusal: StartFailure?
        do throws(ActionLogError) {
            if let point {
                _ = try LMDBActionLog.restore(from: backup, to: directory) { (log) throws(ActionLogError) in
                    do throws(StartFailure) { return try rows(of: log, at: point, in: backup) } catch {
                        refusal = error
                        throw .contradiction(what: error.message)
                    }
                }
            } else {
                _ = try LMDBActionLog.restore(from: backup, to: directory, asCopyOf: cluster?.name)
            }
            if let place = try LMDBActionLog.openBeside(directory: directory).place { return try goOn(as: place) }
            // Opening the log starts an epoch and holds the commands.
            let log = try LMDBActionLog.open(
                directory: directory, configuration: LogConfiguration(mapBytes: configuration[Setting.mapBytes]))
            try log.anchor()
            DaemonServices.print(
                "Restored \(directory) up to record \(log.head.sequence), in a new epoch; checking it.")
            let held = try log.outbox().count
            if held > 0 {
                DaemonServices.print(
                    "\(held == 1 ? "1 open command is" : "\(held) open commands are") held: todoctl commands release.")
            }
            if let lock = log.head.lock { DaemonServices.print("It is locked: \(lock.reason). To continue: todoctl unlock.") }
        } catch {
            throw refusal ?? StartFailure(error, directory: directory, of: program)
        }
    }

    /// A copy of a shared log stays in the epoch of the other machines, with the commands unchanged.
    private func goOn(as place: ReplicaPlace) throws(ActionLogError) {
        let log = try LMDBActionLog.open(
            directory: configuration.dataDirectory,
            configuration: LogConfiguration(mapBytes: configuration[Setting.mapBytes]))
        try log.anchor()
        DaemonServices.print(
            "Restored \(configuration.dataDirectory) up to record \(log.head.sequence), as a copy of the shared log \(place.name); "
                + "its next start fetches the later records. Checking it.")
    }

    private func rows(of log: LMDBActionLog, at point: RestorePoint, in backup: String) throws(StartFailure) -> DerivedRows {
        let sequence = try point.sequence(in: log)
        do throws(ActionLogError) {
            let rows = try DerivedRows.of(App.self, in: log, through: sequence)
            var lines = try CutOff(of: log, downTo: rows).lines
            if let damage = log.damage { lines.append("unreadable: \(damage)") }
            DaemonLogHandler.bootstrap(output: output, threshold: LogThreshold(configuration[Setting.logLevel]))
            let logger = Logger(label: program.name)
            guard !lines.isEmpty else {
                DaemonServices.print("\(backup) has nothing after record \(sequence).")
                return rows
            }
            DaemonServices.print("After record \(sequence), of \(RestorePoint.text(rows.time)), this is cut off:")
            for line in lines {
                DaemonServices.print("  \(line)")
                logger.notice("Cut off a backup", metadata: ["backup": "\(backup)", "until": "\(sequence)", "what": "\(line)"])
            }
            return rows
        } catch {
            throw StartFailure(error, directory: backup, of: program)
        }
    }
}
