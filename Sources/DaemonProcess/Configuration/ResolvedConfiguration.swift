import Configuration
import Logging

/// The configuration in force, and where each of its values comes from.
public struct ResolvedConfiguration: Sendable, Equatable, CustomStringConvertible {
    /// The values in force.
    public private(set) var configuration: Configuration
    /// Where the values come from that are not defaults.
    public private(set) var origins: [Setting: Origin]

    /// Lays flags over the environment over the file over the defaults; an empty value counts as none.
    ///
    /// Every value of every layer must be right, also one that another layer hides.
    ///
    /// - Parameters:
    ///   - flags: What the command line sets.
    ///   - environment: The environment of the process; only its names that begin with `TODOD_` count.
    ///   - file: The configuration file; nil when there is none.
    ///   - premises: Where the defaults come from.
    ///   - workingDirectory: What relative paths of flags and of the environment start from.
    ///   - accounts: The users and groups that there are.
    /// - Throws: `StartFailure` with status 78 and one line for each mistake: its file and line, the key, what is wrong.
    public init(
        flags: [Setting: String] = [:], environment: [String: String], file: ConfigurationFile?, premises: Premises,
        workingDirectory: String, accounts: Accounts
    ) throws(StartFailure) {
        var check = ConfigurationCheck(
            Setting.Surroundings(premises: premises, workingDirectory: workingDirectory, accounts: accounts))
        check.take(file)
        check.take(environment: environment)
        check.take(flags: flags)

        let access = AccessList(owner: premises.uid, soleUID: premises.soleUID)
        configuration = Configuration(dataDirectory: premises.dataDirectory ?? "", socket: premises.socket, access: access)
        origins = check.origins
        let reader = ConfigReader(providers: check.providers)
        for key in Setting.all where check.origins[key] != nil {
            guard let text = reader.string(forKey: ConfigKey(key.components)) else { continue }
            check.apply(text, of: key, to: &configuration)
        }
        if premises.dataDirectory == nil, origins[.data] == nil {
            check.mistakes.append("TODOD_DATA: HOME is unset, so there is no default; say where the log is kept with --data.")
        }
        if UnixAddress(configuration.socket) == nil, origins[.socket] == nil {
            check.mistakes.append(
                "TODOD_SOCKET: \(configuration.socket) has more than \(UnixAddress.pathBytesMax) bytes; choose a shorter one with --socket."
            )
        }
        guard check.mistakes.isEmpty else {
            throw StartFailure(.configuration, check.mistakes.joined(separator: "\n"))
        }
    }

    /// Where a value comes from.
    public func origin(of key: Setting) -> Origin { origins[key] ?? .byDefault }

    /// One line for each key, in the form of the file, with where it comes from as a comment above it.
    public var description: String {
        Setting.all
            .map { "# \(origin(of: $0))\n\($0.name)=\($0.text(configuration))" }
            .joined(separator: "\n")
    }
}
