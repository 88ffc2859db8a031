import ChronicleLog
import ChronicleStore
import DiskLog
import LinuxService
import TimeTravel

/// Rebuilds the rows that differ from the records of a log, which no daemon may be using.
struct Repairing<App: DaemonApp> {
    let program: Program
    let configuration: Configuration

    /// Closes the log at the end, so that the caller can check all of it.
    func run() async throws {
        let directory = configuration.dataDirectory
        let opened: (log: LMDBActionLog, isHeadLost: Bool)
        do throws(ActionLogError) {
            opened = try LMDBActionLog.openForRepair(
                directory: directory, configuration: LogConfiguration(mapBytes: configuration[Setting.mapBytes]))
        } catch {
            switch error {
            case .damaged(let sequence, let what), .undecodable(let sequence, let what), .newerFormat(let sequence, let what):
                // The last record is checked first, but there may be damage before it.
                let last = try? LMDBActionLog.openReadOnly(directory: directory).head.sequence
                throw refusal(sequence > 0 ? min(sequence, (last ?? sequence - 1) + 1) : 0, what)
            default: throw StartFailure(error, directory: directory, of: program)
            }
        }
        let history = History<App>(
            opened.log, snapshots: SnapshotStore(directory: directory), fingerprint: program.fingerprint,
            base: try PastState(beginningOf: opened.log, initial: App.State()),
            freeBytesMin: configuration[Setting.freeBytesMin])
        let made: [String]
        do throws(StoreError) {
            made = try await history.repair(opened.log, isHeadLost: opened.isHeadLost)
        } catch {
            switch error {
            case .damaged(let sequence, let what), .undecodable(let sequence, let what): throw refusal(sequence, what)
            default: throw error
            }
        }
        // The next check may find damage that the records don't show.
        DaemonServices.print(made.isEmpty ? "Nothing had to be rebuilt from the records." : "Rebuilt from the records:")
        for line in made { DaemonServices.print("  \(line)") }
    }

    /// The refusal to repair a log with a damaged record, which can't be rebuilt from anything.
    private func refusal(_ sequence: UInt64, _ what: String) -> StartFailure {
        let (name, directory) = (program.name, configuration.dataDirectory)
        let until = sequence > 1 ? " --until \(sequence - 1)" : ""
        return StartFailure(
            .damagedData,
            """
            Impossible. Nothing was repaired: \(sequence > 0 ? "record \(sequence): " : "")\(what). Records can't be rebuilt.
            To use a backup: \(name) --restore BACKUP\(until) --data NEW. To read what is before the damage: \(name) --inspect --data \(directory), \
            or to keep only that: \(name) --restore \(directory)\(until) --data NEW.
            """)
    }
}
