import Logging

/// The configuration in force, and where each of its values comes from.
package struct ResolvedConfiguration: Sendable, CustomStringConvertible {
    private let settings: SettingTable
    /// The values in force.
    package private(set) var configuration: Configuration
    /// Where the values come from that are not defaults.
    private(set) var origins: [Setting: SettingOrigin]
    /// Whether a file was read, whatever it sets.
    package let hasFile: Bool

    /// Merges flags, environment, file and defaults, in this order of precedence; an empty value counts as unset.
    ///
    /// Every value of every layer must be valid, even if another layer hides it.
    ///
    /// - Parameters:
    ///   - program: The program whose settings are resolved.
    ///   - flags: The settings given on the command line.
    ///   - environment: The environment of the process; only names with the prefix of the program count.
    ///   - file: The configuration file; `nil`: it does not exist.
    ///   - defaultPaths: The source of the default paths.
    ///   - workingDirectory: The base of relative paths in flags and in the environment.
    ///   - accounts: The existing users and groups.
    /// - Throws: `StartFailure` with status 78 and one line for each mistake: its file and line, the key and the reason.
    package init(
        of program: Program, flags: [Setting: String] = [:], environment: [String: String], file: ConfigurationFile?,
        defaultPaths: DefaultPaths,
        workingDirectory: String, accounts: Accounts
    ) throws(StartFailure) {
        let surroundings = Setting.Surroundings(
            defaultPaths: defaultPaths, workingDirectory: workingDirectory, accounts: accounts)
        var check = ConfigurationCheck(program, surroundings)
        settings = program.settings
        hasFile = file != nil
        check.take(file)
        check.take(environment: environment)
        check.take(flags: flags)

        let access = AccessList(owner: defaultPaths.uid, soleUID: defaultPaths.soleUID)
        configuration = Configuration(
            dataDirectory: defaultPaths.dataDirectory ?? "", socket: defaultPaths.socket, access: access)
        origins = check.values.mapValues(\.origin)
        for key in settings.all {
            guard let text = check.values[key]?.text else { continue }
            // One that is wrong was told of when its layer was taken, and changes nothing.
            _ = key.apply(text, &configuration, surroundings)
        }
        if defaultPaths.dataDirectory == nil, origins[.data] == nil {
            check.mistakes.append(
                "\(settings.name(of: .data)): HOME is unset, so there is no default; say where the log is kept with --data.")
        }
        if UnixAddress(configuration.socket) == nil, origins[.socket] == nil {
            check.mistakes.append(
                "\(settings.name(of: .socket)): \(configuration.socket) has more than \(UnixAddress.pathBytesMax) bytes; choose a shorter one with --socket."
            )
        }
        guard check.mistakes.isEmpty else {
            throw StartFailure(.configuration, check.mistakes.joined(separator: "\n"))
        }
    }

    /// Where a value comes from.
    package func origin(of key: Setting) -> SettingOrigin { origins[key] ?? .byDefault }

    /// One line for each key, in the form of the file, with where it comes from as a comment above it.
    package var description: String {
        settings.all
            .map { "# \(origin(of: $0))\n\(settings.name(of: $0))=\($0.text(configuration))" }
            .joined(separator: "\n")
    }
}

/// Where the value of a setting comes from.
package enum SettingOrigin: Sendable, Equatable, CustomStringConvertible {
    /// The command line.
    case flag
    /// The environment of the process.
    case environment
    /// A line of the configuration file.
    case file(path: String, line: Int)
    /// Nobody set it.
    case byDefault

    /// The origin in messages.
    package var description: String {
        switch self {
        case .flag: "command line"
        case .environment: "environment"
        case .file(let path, let line): "\(path):\(line)"
        case .byDefault: "default"
        }
    }
}
