package struct DaemonOptions: Sendable {
    /// In the order of the help.
    package enum Option: String, CaseIterable, Sendable {
        case data, socket, config
        case checkConfig = "check-config"
        case printSettings = "print-settings"
        case inspect, ephemeral, state, replay, verify, repair, head, restore, until
        case detach, version, help
        /// The check of the log in a child process; not for people.
        case looking

        /// The name of its argument, the option without which it has no meaning, and its help; without help, it is not listed.
        var facts: (value: String?, needed: Option?, meaning: String?) {
            switch self {
            case .data: ("directory", nil, "Keep the log and its snapshots in this directory.")
            case .socket: ("path", nil, "Listen on this socket.")
            case .config: ("file", nil, "Read the configuration from this file.")
            case .checkConfig:
                (nil, nil, "Print every setting in force and where it comes from, or what is wrong with it, and exit.")
            case .printSettings:
                (nil, nil, "Print a configuration file with every setting, its meaning and its default, and exit.")
            case .inspect: (nil, nil, "Serve the log for reading only, up to the first damaged record if there is one.")
            case .ephemeral: (nil, nil, "Keep the log in memory; nothing is left after the exit.")
            case .state: ("file", .ephemeral, "With --ephemeral: start from a state as “todoctl state --json” prints it.")
            case .replay: ("file", .ephemeral, "With --ephemeral: start from a history as “todoctl export” writes it.")
            case .verify:
                (
                    nil, nil,
                    """
                    Check the log and everything stored with it, fold it with this version, change nothing, and exit: 0 if it is fine, \
                    65 if not, 78 if there is no log. Also works while a daemon of another version runs, to find out before an update whether this \
                    version folds the log to the same states.
                    """
                )
            case .repair:
                (
                    nil, .verify,
                    """
                    With --verify: rebuild wrong data from the records: keys, open commands, bookmarks, the head row, \
                    snapshots. An unreadable file head stays until you remove it.
                    """
                )
            case .head:
                ("head", .verify, "With --verify: check that the log continues from this head, as “todoctl head” printed it.")
            case .restore: ("directory", .data, "Make the log from this backup, in an empty --data, and exit.")
            case .until:
                (
                    "point", .restore,
                    "With --restore: restore only up to this point: a record, a time (2026-11-20T14:00:05Z) or a bookmark."
                )
            case .detach:
                (
                    nil, nil,
                    """
                    Make the log, a copy of a shared log, a separate log of this machine, and exit; its commands are held from \
                    then on.
                    """
                )
            case .version: (nil, nil, "Print the version.")
            case .help: (nil, nil, "Print this help.")
            case .looking: (nil, nil, nil)
            }
        }
    }

    /// Options that replace serving a log on disk, or change how it is served; at most one may be given.
    private static let modes: [Option] = [
        .checkConfig, .printSettings, .inspect, .ephemeral, .verify, .restore, .detach,
    ]

    private var values: [Option: String] = [:]

    /// Parses the command line without the program's name; throws `StartFailure` with status 64.
    package init(_ arguments: [String]) throws(StartFailure) {
        var rest = arguments[...]
        while let word = rest.popFirst() {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let option = parts.first.flatMap({ Option(word: $0) }) else {
                throw Self.mistake(word.hasPrefix("-") ? "There is no option \(word)." : "“\(word)” is not an option.")
            }
            guard let name = option.facts.value else {
                guard parts.count == 1 else { throw Self.mistake("--\(option.rawValue) takes no value.") }
                values[option] = ""
                continue
            }
            let value = parts.count == 2 ? String(parts[1]) : rest.popFirst() ?? ""
            guard !value.isEmpty, parts.count == 2 || !value.hasPrefix("--") else {
                throw Self.mistake("--\(option.rawValue) needs a value: <\(name)>.")
            }
            values[option] = value
        }
        try check()
    }

    private func check() throws(StartFailure) {
        for option in Option.allCases where has(option) {
            guard let needed = option.facts.needed, !has(needed) else { continue }
            throw Self.mistake("--\(option.rawValue) needs --\(needed.rawValue).")
        }
        let modes = Self.modes.filter(has)
        if modes.count > 1 { throw Self.mistake("--\(modes[0].rawValue) and --\(modes[1].rawValue) exclude each other.") }
        if has(.ephemeral), has(.data) { throw Self.mistake("--ephemeral keeps nothing on disk, so it takes no --data.") }
        if has(.replay), has(.state) { throw Self.mistake("--replay begins with the first state, so it takes no --state.") }
    }

    private static func mistake(_ sentence: String) -> StartFailure {
        StartFailure(.usage, "\(sentence) --help lists the options.")
    }

    package subscript(option: Option) -> String? { values[option] }

    package func has(_ option: Option) -> Bool { values[option] != nil }

    var flags: [Setting: String] {
        var flags: [Setting: String] = [:]
        flags[.data] = self[.data]
        flags[.socket] = self[.socket]
        return flags
    }

    /// Reads the configuration of this process; throws `StartFailure` with status 78 and a line for each mistake.
    package func configuration(
        of program: Program, environment: [String: String], defaultPaths: DefaultPaths
    ) throws(StartFailure) -> ResolvedConfiguration {
        var file: ConfigurationFile?
        if let config = self[.config] {
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

extension DaemonOptions.Option {
    fileprivate init?(word: Substring) {
        if word == "-h" {
            self = .help
        } else if word.hasPrefix("--"), let option = Self(rawValue: String(word.dropFirst(2))) {
            self = option
        } else {
            return nil
        }
    }
}

extension Program {
    /// The output of `--help`: at most 80 columns.
    package var help: String {
        let examples = [
            ("", "in the foreground, on your own directories"),
            ("--check-config", "the settings, and where they come from"),
            ("--data /tmp/try --socket /tmp/try.socket", "a list to try things with"),
            ("--inspect --socket /tmp/inspect.socket", "a damaged log, for reading"),
            ("--verify --data /var/lib/\(name)", "is everything intact, and does this version fold it to the same states?"),
            ("--verify --repair --data /var/lib/\(name)", "rebuild what is derived from the records"),
            ("--restore /backup --data /tmp/new", "a log from a backup; its commands are held"),
            ("--restore /backup --until 1234 --data /tmp/new", "the same, as it was after record 1234"),
            ("--ephemeral --state state.json", "a state to try things with; nothing is kept"),
            ("--ephemeral --replay history.jsonl", "the history of another log, to look at"),
        ].map { "  # \($1)\n  \(name)\($0.isEmpty ? "" : " ")\($0)" }
        let options = DaemonOptions.Option.allCases.compactMap { option in
            option.facts.meaning.map { meaning in
                let words = "  --\(option.rawValue)" + (option.facts.value.map { " <\($0)>" } ?? "")
                return words + "\n" + meaning.wrapped(indentation: 6)
            }
        }
        return """
            \(abstract.wrapped())

            usage: \(name) [--data <directory>] [--socket <path>] [--config <file>] [options]

            \(options.joined(separator: "\n"))

            Examples:
            \(examples.joined(separator: "\n"))
            """
    }
}

extension String {
    fileprivate func wrapped(indentation: Int = 0) -> String {
        let margin = String(repeating: " ", count: indentation)
        var lines = [margin]
        for word in split(separator: " ") {
            if lines[lines.count - 1].count + word.count >= 80 { lines.append(margin) }
            lines[lines.count - 1] += (lines[lines.count - 1].count == indentation ? "" : " ") + word
        }
        return lines.joined(separator: "\n")
    }
}
