package import ArgumentParser

/// The command line of the daemon.
package struct DaemonOptions: ParsableArguments, Sendable {
    /// The directory of the log and its snapshots.
    @Option(help: ArgumentHelp("Keep the log and its snapshots in this directory.", valueName: "directory"))
    package var data: String?

    /// The socket to listen on.
    @Option(help: ArgumentHelp("Listen on this socket.", valueName: "path"))
    package var socket: String?

    /// The configuration file to read in place of the default one; it must exist.
    @Option(help: ArgumentHelp("Read the configuration from this file.", valueName: "file"))
    package var config: String?

    /// Whether to print the configuration and exit.
    @Flag(help: "Print every setting in force and where it comes from, or what is wrong with it, and exit.")
    package var checkConfig = false

    /// Whether to print a configuration file and exit.
    @Flag(help: "Print a configuration file with every setting, its meaning and its default, and exit.")
    package var printSettings = false

    /// Whether to serve for reading only, up to the first damaged record.
    @Flag(help: "Serve the log for reading only, up to the first damaged record if there is one.")
    package var inspect = false

    /// Whether to keep the log in memory.
    @Flag(help: "Keep the log in memory; nothing is left after the end.")
    package var ephemeral = false

    /// A file with the state to start from.
    @Option(help: ArgumentHelp("With --ephemeral: start from a state as “todoctl state --json” prints it.", valueName: "file"))
    package var state: String?

    /// A file whose history to begin with.
    @Option(help: ArgumentHelp("With --ephemeral: take over a history as “todoctl export” writes it.", valueName: "file"))
    package var replay: String?

    /// Whether to check the log, and to exit.
    @Flag(
        help: """
            Check the log and all that stands beside it, change nothing, and exit: 0 if it is fine, 65 if not, 78 if there is none.
            """)
    package var verify = false

    /// Whether what the check finds wrong is made again from the records.
    @Flag(
        help: """
            With --verify: make again from the records what beside them is not right: keys, open commands, bookmarks, the head row, snapshots. \
            A file head that can't be read stays until somebody removes it.
            """)
    package var repair = false

    /// A head which the log that is checked must go on from.
    @Option(
        help: ArgumentHelp("With --verify: the log must go on from this head, as “todoctl head” printed it.", valueName: "head"))
    package var head: String?

    /// Whether the process was started by another one, which looks on.
    @Flag(help: .hidden)
    package var looking = false

    /// A backup to make a log from.
    @Option(help: ArgumentHelp("Make the log from this backup, in a --data that is empty, and exit.", valueName: "directory"))
    package var restore: String?

    /// Behind which record the backup is cut.
    @Option(
        help: ArgumentHelp(
            "With --restore: only up to this point, a record, a time (2026-11-20T14:00:05Z) or a bookmark.", valueName: "point"))
    package var until: String?

    /// Whether to try the log out with this version, and to exit.
    @Flag(
        help: """
            Fold the log with this version, compare what comes of it with what the version before left behind, change nothing, and exit: \
            0 if it is fine or risky, 65 if it is impossible. Works beside a daemon.
            """)
    package var rehearse = false

    /// Whether that is done only where another build folded the log last.
    @Flag(help: "With --rehearse: do nothing where there is no log, or this build folded it last.")
    package var whenChanged = false

    /// How long it may take.
    @Option(
        help: ArgumentHelp("With --rehearse: give up after so many seconds, with status 0; default 60.", valueName: "seconds"))
    package var rehearseSecondsMax: Int?

    /// Whether to make a copy of a shared log a log of its own, and to exit.
    @Flag(
        help: """
            Make the log, a copy of one that several machines share, this machine's own, and exit; its commands are held from then on.
            """)
    package var detach = false

    /// Takes what the command line says.
    package init() {}

    /// Refuses options that contradict each other.
    package func validate() throws {
        if state != nil, !ephemeral { throw ValidationError("--state needs --ephemeral: a log on disk has a state of its own.") }
        if replay != nil, !ephemeral {
            throw ValidationError("--replay needs --ephemeral; a log on disk takes a history over with todoctl import.")
        }
        if replay != nil, state != nil {
            throw ValidationError("--replay begins with the first state there is, so it takes no --state.")
        }
        if repair, !verify { throw ValidationError("--repair needs --verify.") }
        if head != nil, !verify { throw ValidationError("--head needs --verify.") }
        if until != nil, restore == nil { throw ValidationError("--until needs --restore.") }
        if restore != nil, data == nil { throw ValidationError("--restore needs --data: the directory of the new log.") }
        if verify || restore != nil, ephemeral || inspect || verify && restore != nil {
            throw ValidationError("--verify and --restore are for a log on disk, and each by itself.")
        }
        if whenChanged || rehearseSecondsMax != nil, !rehearse {
            throw ValidationError("--when-changed and --rehearse-seconds-max need --rehearse.")
        }
        if let seconds = rehearseSecondsMax, !(1...86_400 ~= seconds) {
            throw ValidationError("--rehearse-seconds-max is 1 to 86400.")
        }
        if rehearse, verify || restore != nil || ephemeral || inspect || checkConfig || printSettings {
            throw ValidationError("--rehearse stands by itself.")
        }
        if detach, verify || restore != nil || ephemeral || inspect || rehearse || checkConfig || printSettings {
            throw ValidationError("--detach stands by itself.")
        }
        if printSettings, checkConfig || verify || inspect || ephemeral || restore != nil {
            throw ValidationError("--print-settings stands by itself.")
        }
        if checkConfig, verify || restore != nil || state != nil || replay != nil {
            throw ValidationError("--check-config looks at settings alone: not at a log, a backup, a state or a history.")
        }
        if inspect, ephemeral { throw ValidationError("--inspect reads a log on disk; with --ephemeral there is none.") }
        if data != nil, ephemeral { throw ValidationError("--ephemeral keeps nothing on disk, so it takes no --data.") }
        for (name, value) in [
            ("--data", data), ("--socket", socket), ("--config", config), ("--state", state), ("--replay", replay),
            ("--restore", restore), ("--head", head), ("--until", until),
        ]
        where value == "" {
            throw ValidationError("\(name) is empty.")
        }
    }

    /// What it sets of the configuration.
    var flags: [Setting: String] {
        var flags: [Setting: String] = [:]
        flags[.data] = data
        flags[.socket] = socket
        return flags
    }

    /// Reads the configuration as it is in force for this process.
    ///
    /// - Parameters:
    ///   - program: Whose configuration it is.
    ///   - environment: The environment of the process.
    ///   - defaultPaths: Where the defaults come from.
    /// - Throws: `StartFailure` with status 78 and a line for each mistake.
    package func configuration(
        of program: Program, environment: [String: String], defaultPaths: DefaultPaths
    ) throws(StartFailure) -> ResolvedConfiguration {
        var file: ConfigurationFile?
        if let config {
            file = try ConfigurationFile(readingFrom: config)
            if file == nil { throw StartFailure(.configuration, "\(config) does not exist.") }
        } else if let path = defaultPaths.configurationFile {
            file = try ConfigurationFile(readingFrom: path)
        }
        return try ResolvedConfiguration(
            of: program, flags: flags, environment: environment, file: file, defaultPaths: defaultPaths,
            workingDirectory: ProcessEnvironment.workingDirectory, accounts: .system)
    }
}
