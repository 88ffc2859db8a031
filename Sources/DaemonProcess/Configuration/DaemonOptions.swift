public import ArgumentParser

/// The command line of the daemon.
public struct DaemonOptions: ParsableArguments, Sendable {
    /// The directory of the log and its snapshots.
    @Option(help: ArgumentHelp("Keep the log and its snapshots in this directory.", valueName: "directory"))
    public var data: String?

    /// The socket to listen on.
    @Option(help: ArgumentHelp("Listen on this socket.", valueName: "path"))
    public var socket: String?

    /// The configuration file to read in place of the default one; it must exist.
    @Option(help: ArgumentHelp("Read the configuration from this file.", valueName: "file"))
    public var config: String?

    /// Whether to print the configuration and exit.
    @Flag(help: "Print every setting in force and where it comes from, or what is wrong with it, and exit.")
    public var checkConfig = false

    /// Whether to serve for reading only, up to the first damaged record.
    @Flag(help: "Serve the log for reading only, up to the first damaged record if there is one.")
    public var inspect = false

    /// Whether to keep the log in memory.
    @Flag(help: "Keep the log in memory; nothing is left after the end.")
    public var ephemeral = false

    /// A file with the state to start from.
    @Option(help: ArgumentHelp("With --ephemeral: start from a state as “todoctl state --json” prints it.", valueName: "file"))
    public var state: String?

    /// Takes what the command line says.
    public init() {}

    /// Refuses options that contradict each other.
    public func validate() throws {
        if state != nil, !ephemeral { throw ValidationError("--state needs --ephemeral: a log on disk has a state of its own.") }
        if inspect, ephemeral { throw ValidationError("--inspect reads a log on disk; with --ephemeral there is none.") }
        if data != nil, ephemeral { throw ValidationError("--ephemeral keeps nothing on disk, so it takes no --data.") }
        for (name, value) in [("--data", data), ("--socket", socket), ("--config", config), ("--state", state)] where value == ""
        {
            throw ValidationError("\(name) is empty.")
        }
    }

    /// What it sets of the configuration.
    public var flags: [ConfigurationKey: String] {
        var flags: [ConfigurationKey: String] = [:]
        flags[.data] = data
        flags[.socket] = socket
        return flags
    }

    /// Reads the configuration as it is in force for this process.
    ///
    /// - Parameters:
    ///   - environment: The environment of the process.
    ///   - premises: Where the defaults come from.
    /// - Throws: `StartFailure` with status 78 and a line for each mistake.
    public func configuration(environment: [String: String], premises: Premises) throws(StartFailure) -> ResolvedConfiguration {
        var file: ConfigurationFile?
        if let config {
            file = try ConfigurationFile(readingFrom: config)
            if file == nil { throw StartFailure(.configuration, "\(config) does not exist.") }
        } else if let path = premises.configurationFile {
            file = try ConfigurationFile(readingFrom: path)
        }
        return try ResolvedConfiguration(
            flags: flags, environment: environment, file: file, premises: premises,
            workingDirectory: ProcessEnvironment.workingDirectory, uidNamed: Users.uid)
    }
}
