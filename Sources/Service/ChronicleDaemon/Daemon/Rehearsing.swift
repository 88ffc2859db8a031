import ChronicleLog
import ChronicleStore
import DiskLog
import LinuxService
import Logging
import TimeTravel

/// Folds the log before it is served, and compares the result with that of the previous build.
struct Rehearsing<App: DaemonApp> {
    let program: Program
    let configuration: Configuration
    let output: LogOutput

    /// Runs with or without a running daemon.
    /// - Parameters:
    ///   - secondsMax: the time limit; exceeding it is no failure.
    ///   - isWanted: whether to run even if this build folded the log last, and to fail without a log.
    func run(secondsMax: Int, always isWanted: Bool) async throws {
        DaemonLogHandler.bootstrap(output: output, threshold: LogThreshold(configuration[Setting.logLevel]))
        let logger = Logger(label: program.name)
        let directory = configuration.dataDirectory
        let log: LMDBActionLog
        do throws(ActionLogError) {
            log = try LMDBActionLog.openBeside(directory: directory)
        } catch {
            switch error {
            case .noLog where !isWanted: return
            case .damaged(let sequence, let what), .undecodable(let sequence, let what), .newerFormat(let sequence, let what):
                throw refusal(["record \(sequence): \(what)"])
            default: throw StartFailure(error, directory: directory, of: program)
            }
        }
        let snapshots = SnapshotStore(directory: directory)
        guard isWanted || !isOurs(snapshots, log) else {
            logger.info("The build that folded the log last is this one: there is nothing to rehearse")
            return
        }
        let base: PastState<App>
        do throws(StoreError) { base = try PastState(beginningOf: log, initial: App.State()) } catch {
            throw refusal(["the base, where the log begins, can't be read by this version"])
        }
        let history = History<App>(log, snapshots: snapshots, fingerprint: program.fingerprint, base: base)
        let rehearsal = try await history.rehearse(until: .now + .seconds(secondsMax))
        try report(rehearsal, of: log.head.sequence, secondsMax, logger)
    }

    /// Whether this build wrote the newest snapshot of this log.
    private func isOurs(_ snapshots: SnapshotStore, _ log: LMDBActionLog) -> Bool {
        guard log.head.sequence > 0 else { return true }
        for sequence in snapshots.sequences().reversed() {
            guard let snapshot = snapshots.read(sequence), (try? log.checksum(of: sequence)) == snapshot.checksum else {
                continue
            }
            return snapshot.fingerprint == program.fingerprint
        }
        return false
    }

    private func report(_ rehearsal: Rehearsal, of head: UInt64, _ secondsMax: Int, _ logger: Logger) throws(StartFailure) {
        let lines =
            [rehearsal.state.map { "state" + Self.line($0) }, rehearsal.command.map { "commands" + Self.line($0) }]
            .compactMap { $0 } + (rehearsal.state?.details ?? [])
            + (rehearsal.state == nil ? rehearsal.command?.details ?? [] : [])
        let counts =
            "Records: \(rehearsal.records), compared states: \(rehearsal.states), records with commands: \(rehearsal.commands), "
            + "records one by one: \(rehearsal.checks)"
        let word = rehearsal.word.rawValue.capitalizedFirst
        if rehearsal.word == .impossible {
            DaemonServices.print("\(word). \(counts).")
            for line in lines { DaemonServices.print(line) }
            throw refusal(lines)
        }
        DaemonServices.print("\(word)\(rehearsal.isCutShort ? " so far" : ""). \(counts).")
        for line in lines {
            DaemonServices.print(line)
            logger.warning("Rehearsal", metadata: ["difference": "\(line)"])
        }
        guard rehearsal.isCutShort else { return }
        logger.warning(
            "The rehearsal was given up: it took longer than its time; the start goes on",
            metadata: ["records": "\(rehearsal.records)", "of": "\(head)", "seconds": "\(secondsMax)"])
        DaemonServices.print("Given up after \(secondsMax) seconds: give it more by --rehearse-seconds-max.")
    }

    private static func line(_ difference: Rehearsal.Difference) -> String {
        let isExact = difference.since + 1 >= difference.sequence
        return isExact
            ? " \(difference.sequence): \(difference.what)"
            : " \(difference.since + 1) to \(difference.sequence): \(difference.what)"
    }

    private func refusal(_ lines: [String]) -> StartFailure {
        StartFailure(
            .damagedData,
            """
            Impossible. This version (\(program.version)) would make something else of the log in \(configuration.dataDirectory): \(lines.first ?? "").
            Keep the version that you have: install it again and start it; the log is unchanged. Report the record that is named.
            """)
    }
}
