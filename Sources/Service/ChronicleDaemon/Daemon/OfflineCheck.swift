import ChronicleLog
import ChronicleStore
import DiskLog
import Glibc
import LinuxService
import TimeTravel

#if Cluster
    import ReplicatedLog
#endif

/// Checks an unused log read-only, and folds it with this program's reducers.
///
/// Runs in a child process: LMDB may crash on a damaged page, and the parent still reports the result.
struct OfflineCheck<App: DaemonApp> {
    private let program: Program
    private let configuration: Configuration
    private let anchor: HeadCheckpoint?

    /// - Parameter head: a head that the log must contain, as text.
    init(of program: Program, _ configuration: Configuration, from head: String? = nil) throws(StartFailure) {
        self.program = program
        self.configuration = configuration
        anchor = try head.map { text throws(StartFailure) in
            guard let anchor = HeadCheckpoint(text) else {
                throw StartFailure(.usage, "“\(text)” is not a head; use one from the daemon's journal or from “todoctl head”.")
            }
            return anchor
        }
    }

    func run() async throws {
        let directory = configuration.dataDirectory
        let log: LMDBActionLog
        do throws(ActionLogError) {
            log = try LMDBActionLog.openReadOnly(directory: directory)
        } catch {
            guard error.isDamage else { throw StartFailure(error, directory: directory, of: program) }
            throw StartFailure(.damagedData, "Impossible. \(error).")
        }
        let history = History<App>(
            log, snapshots: SnapshotStore(directory: directory), fingerprint: program.fingerprint,
            base: try PastState(beginningOf: log, initial: App.State()))
        let verification = try await history.verify(from: anchor, opened: log.damage) { sequence, last in
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

    /// Runs the check in a child process; returns its exit status.
    func inChild(_ flags: [String] = []) throws(StartFailure) -> Int32 {
        // The configuration file may be readable only once (a pipe), so the child gets only the directory.
        let words: [String] =
            [program.name, "--verify", "--looking", "--data", configuration.dataDirectory, "--config", "/dev/null"]
            + flags + (anchor.map { ["--head", "\($0)"] } ?? [])
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
}

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

struct Detaching {
    let program: Program
    let configuration: Configuration
    let environment: [String: String]

    /// Detaches the copy; the other machines continue, and the administrator decides which side runs the commands.
    func run() async throws(StartFailure) {
        let directory = configuration.dataDirectory
        let cluster = try SharedLogOptions(program, configuration, environment)
        do throws(ActionLogError) {
            let place = try LMDBActionLog.detach(directory: directory, mapBytes: configuration[Setting.mapBytes])
            if let cluster {
                await leave(place, cluster)
            } else {
                tellKept(because: "\(program.name(of: Setting.cluster)) is not set here")
            }
            DaemonServices.print(
                "The log in \(directory) is no longer a copy of \(place.name). Its next start begins a new epoch, with all commands "
                    + "held; remove \(program.name(of: Setting.cluster)) first, unless the log should found the shared log again."
            )
        } catch {
            throw StartFailure(error, directory: directory, of: program)
        }
    }

    /// Removes this machine's report, so that the cluster stops keeping batches for it at once instead of after days.
    private func leave(_ place: ReplicaPlace, _ cluster: SharedLogOptions) async {
        do throws(ActionLogError) { try await SharedLog.forget(place, cluster) } catch {
            tellKept(because: "\(error)")
        }
    }

    private func tellKept(because reason: String) {
        let days = configuration[Setting.clusterAwayDays]
        DaemonServices.print("The members were not notified, and keep what this machine lacked for \(days) days: \(reason).")
    }
}
