import ArgumentParser
import Chronicle
import Glibc
import Terminal

struct ConfigVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config", abstract: "Show, edit and check the settings.",
        discussion: """
            EXAMPLES:
              todoctl config
              todoctl config edit
              todoctl config check
              todoctl config path

            The settings are in a TOML file, ~/.config/todod/todoctl.toml, or $TODOCTL_CONFIG:

              date = "iso"
              week = "sunday"
              sort = "urgency"
              view = "work"

              [aliases]
              today = "list due:today"

              [colors]
              overdue = "magenta"

            Options override the environment (TODOCTL_DATE, TODOCTL_WEEK, TODOCTL_SORT, TODOCTL_VIEW), which overrides the file.
            """,
        subcommands: [Show.self, Path.self, Edit.self, Check.self], defaultSubcommand: Show.self)

    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show",
            abstract: "Show the settings and their origin.",
            discussion: """
                EXAMPLES:
                  todoctl config show
                  todoctl config show --json
                """)

        @Flag(name: .shortAndLong, help: "Print the settings as one JSON object.")
        var json = false

        func run() throws {
            var output = Output()
            let settings = Settings.user
            if json {
                output.json(ConfigVerb.value(settings))
            } else {
                for line in ConfigVerb.lines(settings) { output.line(line) }
            }
            output.flush()
            try ConfigVerb.complain(settings.warnings, settings.file.failure)
        }
    }

    struct Path: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "path", abstract: "Print the path of the settings file.", examples: "todoctl config path")

        func run() throws {
            var output = Output()
            output.line(Visible.text(try ConfigVerb.path()))
            output.flush()
        }
    }

    struct Edit: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "edit",
            abstract: "Edit the settings file, and check it.",
            discussion: """
                EXAMPLES:
                  todoctl config edit
                  EDITOR=nano todoctl config edit

                The editor is $VISUAL, $EDITOR or vi. A new file contains all settings as comments.
                """)

        func run() throws {
            let path = try ConfigVerb.path()
            try ConfigVerb.makeFile(at: path)
            let named = ["VISUAL", "EDITOR"].compactMap(Environment.variable).first { !$0.isEmpty }
            let program = ExternalProgram(command: ["/bin/sh", "-c", "\(named ?? "vi") \"$1\"", "sh", path])
            let end: ExternalProgram.End
            switch program.start(reading: 0) {
            case .success(let pid): end = program.wait(for: pid)
            case .failure(let failure): end = .notRun(String(cString: strerror(failure.number)))
            }
            if let failure = end.failure { throw Failure(.inputOutput, "The editor: \(failure).") }
            try ConfigVerb.check(path)
        }
    }

    struct Check: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "check",
            abstract: "Check the settings file.",
            discussion: """
                EXAMPLES:
                  todoctl config check
                  TODOCTL_CONFIG=new.toml todoctl config check

                The exit status is 0 if the file is valid, 1 if parts of it are ignored, and 78 if it is not valid TOML.
                """)

        func run() throws { try ConfigVerb.check(try ConfigVerb.path()) }
    }

    private static func path() throws(Failure) -> String {
        guard let path = SettingsFile.path(Environment.variable) else {
            throw Failure(.usage, "The home directory is unknown. Set TODOCTL_CONFIG to the path of the settings file.")
        }
        return path
    }

    private static func check(_ path: String) throws(Failure) {
        let file = SettingsFile(path: path)
        try complain(file.warnings, file.failure)
        guard file.warnings.isEmpty else {
            throw Failure(.refused, "The other settings are valid. To correct them: todoctl config edit")
        }
        var output = Output()
        output.line(file.isThere ? "The settings are valid." : "There is no settings file. To create it: todoctl config edit")
        output.flush()
    }

    private static func complain(_ warnings: [String], _ failure: Failure?) throws(Failure) {
        if let failure { throw failure }
        for warning in warnings { Output.complain("todoctl: " + warning) }
    }

    // Creates a file and its directories.
    private static func makeFile(at path: String) throws(Failure) {
        var directory = ""
        for name in path.split(separator: "/", omittingEmptySubsequences: false).dropLast() {
            directory += name + "/"
            // A failure, unless the directory exists, is reported when the file is opened.
            _ = mkdir(directory, 0o777)
        }
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else {
            if errno == EEXIST { return }
            throw Failure(.inputOutput, "\(Visible.text(path)) can't be created: \(String(cString: strerror(errno))).")
        }
        Output.put(beginning, on: descriptor)
        close(descriptor)
    }

    /// All settings with their defaults.
    static let beginning: String = {
        var text = "# Settings of todoctl; see todoctl help config.\n"
        for key in Settings.Key.allCases {
            let words = key.words.map { "# One of " + Settings.alternatives($0) + ".\n" } ?? "# The name of a saved view.\n"
            text += "\n\(words)# \(key.rawValue) = \"\(key.usual ?? "work")\"\n"
        }
        text += "\n[aliases]\n# today = \"list due:today\"\n\n[colors]\n"
        for role in Paint.Role.allCases { text += "# \(role.rawValue) = \"cyan\"\n" }
        text += "\n# In points; todoctl why-first ID shows them.\n[urgency]\n"
        for part in Urgency.Part.allCases { text += "# \(part.key) = \(part.weight / 100)\n" }
        return text
    }()

    private static func originText(_ key: Settings.Key, by origin: Settings.Origin) -> String {
        switch origin {
        case .option: "option"
        case .environment: key.variable
        case .file: "file"
        case .usual: "usual"
        }
    }

    /// One line per setting.
    static func lines(_ settings: Settings) -> [String] {
        var rows = Settings.Key.allCases.map { key -> (String, String) in
            let (word, origin) = settings.value(key)
            return (key.rawValue, Visible.text(word ?? "none") + (origin == .usual ? "" : "  (\(originText(key, by: origin)))"))
        }
        for table in SettingsFile.Table.allCases {
            rows += entries(table, settings.file).map { entry in
                ("\(table.rawValue).\(entry.name)", Visible.text(entry.value.text ?? ""))
            }
        }
        let width = rows.reduce(0) { max($0, Width.columns(Visible.text($1.0))) }
        let path = settings.file.path.isEmpty ? "none, because the home directory is unknown" : Visible.text(settings.file.path)
        let isMissing = !settings.file.isThere && !settings.file.path.isEmpty
        return rows.map { Width.padded(Visible.text($0.0), to: width) + "  " + $0.1 }
            + ["", "File: " + path + (isMissing ? " (does not exist; to create it: todoctl config edit)" : "")]
    }

    static func value(_ settings: Settings) -> Value {
        var fields: [Value.Field] = Settings.Key.allCases.map { key in
            let (word, origin) = settings.value(key)
            let value = word.map { Value.text($0) } ?? .null
            return .init(key.rawValue, ["value": value, "from": .text(originText(key, by: origin))])
        }
        for table in SettingsFile.Table.allCases {
            fields.append(.init(table.rawValue, .record(entries(table, settings.file))))
        }
        return [
            "path": .text(settings.file.path), "exists": .bool(settings.file.isThere), "settings": .record(fields),
            "warnings": .list(settings.warnings.map { Value.text($0) }),
        ]
    }

    /// The entries of a table of the file, sorted by name.
    private static func entries(_ table: SettingsFile.Table, _ file: SettingsFile) -> [Value.Field] {
        let entries: [Value.Field] =
            switch table {
            case .aliases: file.aliases.map { .init($0.key, .text(ShellWords.line($0.value))) }
            case .colors: file.colours.map { .init($0.key.rawValue, .text($0.value.name)) }
            case .urgency: file.weights.map { .init($0.key.key, .text(Urgency.text($0.value))) }
            }
        return entries.sorted { $0.name < $1.name }
    }
}
