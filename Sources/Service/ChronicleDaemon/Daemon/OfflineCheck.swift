import ChronicleLog
import ChronicleStore
import DiskLog
import Glibc
import LinuxService
import TimeTravel

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
