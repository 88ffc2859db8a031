import ChronicleLog
import ChronicleStore
import DiskLog
import Glibc
import LinuxService
import TimeTravel

#if Cluster
    import ReplicatedLog
#endif

/// The log of a program, which no daemon may be using.
struct OfflineLog<App: DaemonApp> {
    let program: Program
    let configuration: Configuration
    var directory: String { configuration.dataDirectory }
    var options: LogConfiguration { LogConfiguration(mapBytes: configuration[Setting.mapBytes]) }

    /// Checks the log without changing it, and folds it with this program's reducers.
    /// - Parameter anchor: a head that the log must contain.
    func check(from anchor: HeadCheckpoint? = nil) async throws {
        let log: LMDBActionLog
        do throws(ActionLogError) {
            log = try LMDBActionLog.openReadOnly(directory: directory)
        } catch {
            guard error.isDamage else { throw failure(error) }
            throw StartFailure(.damagedData, "Impossible. \(error).")
        }
        let verification = try await history(of: log).verify(from: anchor, opened: log.damage) { sequence, last in
            if sequence.isMultiple(of: 1 << 17) { DaemonServices.print("\(sequence) of \(last) records") }
        }
        try report(verification)
    }

    private func report(_ verification: Verification) throws {
        let counts =
            "Records: \(verification.records), snapshots: \(verification.snapshots), keys: \(verification.keys), "
            + "open commands: \(verification.commands), bookmarks: \(verification.bookmarks)"
        guard let first = verification.first else {
            return DaemonServices.print("Fine. \(counts). All are intact, and this version folds them to the same states.")
        }
        // A cache can be rebuilt; a person must judge records that other code folded differently.
        let isRisky = verification.damages.allSatisfy { [.snapshot, .digest, .fold].contains($0.kind) }
        DaemonServices.print("\(isRisky ? "Risky" : "Impossible"). \(counts).")
        for damage in verification.damages {
            DaemonServices.print("\(damage.kind.rawValue) \(damage.sequence): \(damage.what)")
        }
        throw StartFailure(.damagedData, "The first difference is at \(first.sequence) (\(first.kind.rawValue)): \(first.what).")
    }

    private func history(of log: LMDBActionLog) throws -> History<App> {
        History(
            log, snapshots: SnapshotStore(directory: directory), fingerprint: program.fingerprint,
            base: try PastState(beginningOf: log, initial: App.State()), freeBytesMin: configuration[Setting.freeBytesMin])
    }

    func failure(_ error: ActionLogError) -> StartFailure { StartFailure(error, directory: directory, of: program) }

    /// Runs the check in a child process, because LMDB may crash on a damaged page; returns its exit status.
    func checkInChild(repairing: Bool, from anchor: HeadCheckpoint?) throws(StartFailure) -> Int32 {
        // The configuration file may be readable only once (a pipe), so the child gets only the directory.
        let words: [String] =
            [program.name, "--verify", "--looking", "--data", directory, "--config", "/dev/null"]
            + (repairing ? ["--repair"] : []) + (anchor.map { ["--head", "\($0)"] } ?? [])
        var arguments = words.map { strdup($0) } + [nil]
        var variables = ProcessEnvironment.variables.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer {
            for text in arguments { free(text) }
            for text in variables { free(text) }
        }
        var child: pid_t = 0
        let code = posix_spawn(&child, "/proc/self/exe", nil, nil, &arguments, &variables)
        guard code == 0 else {
            throw StartFailure(.inputOutput, "The check can't be started: \(String(cString: strerror(code))).")
        }
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
        let signal = status & 0x7F
        // Damaged pages end the process with one of these signals. Others were sent, or a library trapped for lack of descriptors.
        guard [0, SIGBUS, SIGSEGV, SIGABRT, SIGFPE].contains(signal) else {
            throw StartFailure(.inputOutput, "The check was terminated by signal \(signal). Run it again.")
        }
        if signal != 0 {
            DaemonServices.print("Impossible. Reading the log ended the process by signal \(signal): LMDB's pages are damaged.")
        }
        return signal == 0 ? status >> 8 & 0xFF : ExitStatus.damagedData.rawValue
    }

    /// Rebuilds the rows that differ from the records.
    ///
    /// Closes the log at the end, so that the caller can check all of it.
    func repair() async throws {
        let opened: (log: LMDBActionLog, isHeadLost: Bool)
        do throws(ActionLogError) {
            opened = try LMDBActionLog.openForRepair(directory: directory, configuration: options)
        } catch {
            switch error {
            case .damaged(let sequence, let what), .undecodable(let sequence, let what), .newerFormat(let sequence, let what):
                // The last record is checked first, but there may be damage before it.
                let last = try? LMDBActionLog.openReadOnly(directory: directory).head.sequence
                throw refusal(sequence > 0 ? min(sequence, (last ?? sequence - 1) + 1) : 0, what)
            default: throw failure(error)
            }
        }
        let history = try history(of: opened.log)
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
        let name = program.name
        let until = sequence > 1 ? " --until \(sequence - 1)" : ""
        return StartFailure(
            .damagedData,
            """
            Impossible. Nothing was repaired: \(sequence > 0 ? "record \(sequence): " : "")\(what). Records can't be rebuilt.
            To use a backup: \(name) --restore BACKUP\(until) --data NEW. To read what is before the damage: \(name) --inspect --data \(directory), \
            or to keep only that: \(name) --restore \(directory)\(until) --data NEW.
            """)
    }

    /// Detaches the copy; the other machines continue, and the administrator decides which side runs the commands.
    func detach(_ environment: [String: String]) async throws(StartFailure) {
        let cluster = try SharedLogOptions(program, configuration, environment)
        do throws(ActionLogError) {
            let place = try LMDBActionLog.detach(directory: directory, mapBytes: configuration[Setting.mapBytes])
            // Why the cluster keeps batches for this machine for days.
            var reason = cluster == nil ? "\(program.name(of: Setting.cluster)) is not set here" : nil
            if let cluster {
                do throws(ActionLogError) { try await SharedLog.forget(place, cluster) } catch { reason = "\(error)" }
            }
            if let reason {
                let days = configuration[Setting.clusterAwayDays]
                DaemonServices.print(
                    "The members were not notified, and keep what this machine lacked for \(days) days: \(reason).")
            }
            DaemonServices.print(
                "The log in \(directory) is no longer a copy of \(place.name). Its next start begins a new epoch, with all commands "
                    + "held; remove \(program.name(of: Setting.cluster)) first, unless the log should found the shared log again."
            )
        } catch {
            throw failure(error)
        }
    }
}
