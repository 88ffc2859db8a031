import ActionLogs
import DaemonProcess

/// Makes a log from a backup, and checks it before anybody relies on it.
struct Restoring {
    private let configuration: Configuration

    init(_ configuration: Configuration) { self.configuration = configuration }

    func run(from backup: String) async throws {
        try restore(backup)
        try await OfflineCheck(configuration).look()
    }

    // The log is closed again before it is checked: no process opens one twice.
    private func restore(_ backup: String) throws {
        let directory = configuration.dataDirectory
        do throws(ActionLogError) {
            _ = try LMDBActionLog.restore(from: backup, to: directory)
            // Opening it begins the epoch and holds the commands.
            let log = try LMDBActionLog.open(
                directory: directory, configuration: LogConfiguration(mapBytes: configuration.mapBytes))
            try log.anchor()
            DaemonServices.print(
                "Restored \(directory) up to record \(log.head.sequence), in a new epoch; checking it.")
            let held = try log.outbox().count
            if held > 0 { DaemonServices.print("\(held) open commands are held: todoctl commands release.") }
        } catch {
            throw StartFailure(error, directory: directory)
        }
    }
}
