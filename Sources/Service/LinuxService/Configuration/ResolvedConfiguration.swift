import Logging

/// The effective configuration and the origin of each value.
package struct ResolvedConfiguration: Sendable, CustomStringConvertible {
    private let settings: SettingTable
    package private(set) var configuration: Configuration
    /// The origins of the values that are not defaults.
    private(set) var origins: [Setting: SettingOrigin]
    /// Whether a file was read, even if it sets nothing.
    package let hasFile: Bool

    /// Merges flags, environment, file and defaults, in this order of precedence; an empty value counts as unset.
    ///
    /// Every value of every layer must be valid, even if another layer overrides it.
    /// - Parameters:
    ///   - flags: the settings given on the command line.
    ///   - environment: only names with the prefix of the program count.
    ///   - file: the configuration file; `nil`: it does not exist.
    ///   - workingDirectory: the base of relative paths in flags and in the environment.
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
            // A mistake was reported with its layer, and changes nothing.
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
        guard check.mistakes.isEmpty else { throw StartFailure(.configuration, check.mistakes.joined(separator: "\n")) }
    }

    /// Where a value comes from.
    package func origin(of key: Setting) -> SettingOrigin { origins[key] ?? .byDefault }

    /// One line for each key in the format of the file, with its origin as a comment above.
    package var description: String {
        settings.all.map { "# \(origin(of: $0))\n\(settings.name(of: $0))=\($0.text(configuration))" }.joined(separator: "\n")
    }
}

/// Where the value of a setting comes from.
package enum SettingOrigin: Sendable, Equatable, CustomStringConvertible {
    case flag
    case environment
    case file(path: String, line: Int)
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
