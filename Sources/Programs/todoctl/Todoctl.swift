import ArgumentParser
import Glibc
import Terminal
import TodoAPI
import Varlink

@main
struct Todoctl: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "todoctl",
        abstract: "Talk to todod, the todo list that is never lost.",
        discussion: """
            EXAMPLES:
              todoctl
              todoctl add Buy the milk --due tomorrow
              todoctl list
              todoctl done 1
              todoctl watch
              todoctl --wait 60 list

            The daemon's socket is --socket, else $TODOD_SOCKET, else yours, else the system's.
            Options before a verb: --wait [SECONDS] waits for a daemon that does not run yet (default: 30); --timeout SECONDS gives up
            on a daemon that does not respond (default: 10); --fork NAME connects to the daemon of a fork, as $TODOD_FORK does.
            """,
        subcommands: [
            Add.self, List.self, Agenda.self, Show.self, WhyFirst.self, Done.self, Reopen.self, Edit.self, NoteVerb.self,
            Remove.self, Move.self, Clear.self, DraftVerb.self, Submit.self, Load.self, AlertsVerb.self, PostsVerb.self,
            StarVerb.self,
            ReposVerb.self, FlowVerb.self, OpenVerb.self, CommandsVerb.self, DebugVerb.self, CounterVerb.self, ViewVerb.self,
            StateVerb.self, Log.self, Diff.self, Why.self, Blame.self, Bisect.self, Check.self,
            InvariantVerb.self, Series.self, Replay.self, BookmarkVerb.self, Head.self, Verify.self, Steps.self, Undo.self,
            Redo.self, Revert.self, Restore.self, WhatIfVerb.self, ForkVerb.self, Watch.self,
            FollowVerb.self, WebVerb.self, ActionsVerb.self, Dispatch.self, Export.self, Import.self, Backup.self, Redact.self,
            Compact.self, LockVerb.self, UnlockVerb.self, CallVerb.self, StatusVerb.self, ClusterVerb.self, MetricsVerb.self,
            ExplainVerb.self,
            ConfigVerb.self, ScreenVerb.self, Completions.self,
        ])

    @Flag(help: "Print the version, and the daemon's if it differs.")
    var version = false

    func run() throws {
        guard version else {
            if isatty(0) == 1, isatty(1) == 1 { return try ScreenVerb.run(socket: nil) }
            throw CleanExit.helpRequest(self)
        }
        var output = Output()
        output.line("todoctl \(Release.version)")
        // Best effort: no answer of the daemon is not a failure of this verb.
        if let path = try? SocketChoice.path(option: nil),
            let daemon = try? Client(socket: path, patience: 0).service(), daemon.version != Release.version
        {
            output.line("\(daemon.program) \(daemon.version) at \(path)")
        }
        output.flush()
    }

    static func main() {
        signal(SIGPIPE, SIG_IGN)
        do {
            // A completion request is not a regular command line and may concern the options before the verb.
            if CommandLine.arguments.dropFirst().first == "---completion" { _ = try CompletedTodoctl.parseAsRoot() }
            let typed = CommandLine.arguments.dropFirst()
            let given = try takingGlobals(from: typed)
            let globals = Array(typed.prefix(typed.count - given.count))
            try Settings.user.check(before: given.first)
            let arguments = unaliased(Settings.user.unaliased(given))
            try EmptyArguments.check(arguments, after: globals.count)
            try VerbNames.check(arguments, after: globals, aliases: Array(Settings.user.file.aliases.keys))
            var command = try parseAsRoot(FilterOption.spelled(ReminderTime.joined(arguments)))
            try command.run()
        } catch let failure as Failure {
            report(failure)
            Glibc.exit(failure.code.rawValue)
        } catch {
            tell(error)
        }
    }

    /// Prints the parser's message and exits: help on standard output, errors on standard error.
    private static func tell(_ error: any Error) -> Never {
        let (text, code) = (fullMessage(for: error), exitCode(for: error))
        guard code.isSuccess else {
            // The parser quotes user input.
            Output.complain(Visible.lines(HelpText.mistake(text, columns: Width.ofTerminal)))
            Glibc.exit(code.rawValue)
        }
        var output = Output()
        let verb = text.hasPrefix("OVERVIEW: ") ? HelpText.verb(namedIn: text) : nil
        if !text.isEmpty { output.line(verb.map { HelpText.help(of: $0, columns: Width.ofTerminal) } ?? text) }
        output.flush()
        Glibc.exit(code.rawValue)
    }

    /// Removes the global options before the verb and sets their variables: `--socket PATH`, `--fork NAME`, `--wait [SECONDS]`
    /// and `--timeout SECONDS`.
    ///
    /// The last `--socket` or `--fork` wins and overrides the environment. They are not declared as options because the parser
    /// would then also take a verb's own `--socket`. A `--wait` or `--timeout` after a verb belongs to the verb.
    static func takingGlobals(
        from arguments: ArraySlice<String>, set: @escaping (String, String) -> Void = { setenv($0, $1, 1) }
    ) throws(Failure) -> [String] {
        var (rest, kept) = (arguments, [String]())
        let value = { (option: String, value: String?, example: String) throws(Failure) in
            // Empty variables are ignored.
            if let value, !value.isEmpty { return value }
            throw Failure(.usage, "\(option): the value is missing. Example: todoctl \(option) \(example)")
        }
        while let word = rest.first, word.hasPrefix("-") {
            rest = rest.dropFirst()
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            let behind = parts.count > 1 ? parts[1] : nil
            switch parts[0] {
            case "--socket":
                let path = try value("--socket", behind ?? rest.popFirst(), SocketLocation.socket(in: "/run/todod") + " list")
                set("TODOD_SOCKET", path)
                set("TODOD_FORK", "")
            case "--fork":
                let example = "try list\nTo list the forks: todoctl fork list"
                set("TODOD_FORK", try value("--fork", behind ?? rest.popFirst(), example))
            case "--timeout": set("TODOD_TIMEOUT", try value("--timeout", behind ?? rest.popFirst(), "60 list"))
            case "--wait" where behind == nil:
                // No verb starts with a digit.
                let isNumber = rest.first?.utf8.first.map { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ?? false
                set("TODOD_WAIT", isNumber ? rest.removeFirst() : String(SocketSearch.secondsUsual))
            case "--wait": set("TODOD_WAIT", try value("--wait", behind, "60 list"))
            default: kept.append(word)
            }
        }
        return kept + rest
    }

    static let aliases = ["ls": "list", "rm": "remove", "do": "done"]

    static var verbNames: Set<String> { Set(configuration.subcommands.map { $0._commandName } + aliases.keys + ["help"]) }

    /// Expands an alias of a verb, also after `help`.
    static func unaliased(_ arguments: [String]) -> [String] {
        let place = arguments.first == "help" ? 1 : 0
        guard arguments.indices.contains(place), let verb = aliases[arguments[place]] else { return arguments }
        var arguments = arguments
        arguments[place] = verb
        return arguments
    }

    private static func report(_ failure: Failure) {
        if CommandLine.arguments.contains(where: { $0 == "--json" || $0 == "-j" }), let error = failure.error {
            var object: [UInt8] = []
            JSON.write(
                [.init("error", .text(failure.names.served(error.name))), .init("parameters", .record(error.parameters))],
                into: &object)
            return Output.complain(String(decoding: TextEncoding.user.bytes(json: Visible.json(object)), as: UTF8.self))
        }
        Output.complain("todoctl: " + failure.message)
    }
}

struct Completions: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "completions",
        abstract: "Print a script that lets a shell complete todoctl's verbs and options.",
        discussion: """
            EXAMPLES:
              todoctl completions bash > ~/.local/share/bash-completion/completions/todoctl
              todoctl completions zsh > ~/.zfunc/_todoctl
              todoctl completions fish > ~/.config/fish/completions/todoctl.fish
            """)

    enum Shell: String, CaseIterable, ExpressibleByArgument {
        case bash
        case zsh
        case fish
    }

    @Argument(help: "bash, zsh or fish.")
    var shell = Shell.bash

    func run() throws {
        var output = Output()
        output.line(CompletedTodoctl.completionScript(for: CompletionShell(rawValue: shell.rawValue) ?? .bash))
        output.flush()
    }
}

/// The command for shell completion: todoctl with its global options, which `takingGlobals` removes before parsing.
struct CompletedTodoctl: ParsableCommand {
    static let configuration = {
        var configuration = Todoctl.configuration
        let verbs = configuration.subcommands
        configuration.subcommands = verbs.map { $0 == ForkVerb.self ? CompletedFork.self : $0 }
        configuration.subcommands += Todoctl.aliases.values.sorted().compactMap { name in
            verbs.first { $0._commandName == name }.map { CompletedTodoctl.aliased($0) }
        }
        return configuration
    }()

    private static func aliased<Verb: ParsableCommand>(_ verb: Verb.Type) -> any ParsableCommand.Type {
        CompletedAlias<Verb>.self
    }

    @Option(help: ArgumentHelp("The daemon's socket.", valueName: "path"), completion: .file())
    var socket: String?

    @Option(help: ArgumentHelp("Use the daemon of this fork.", valueName: "name"), completion: .forks)
    var fork: String?

    @Option(help: ArgumentHelp("Give up on a daemon that does not respond.", valueName: "seconds"))
    var timeout: Int?

    // As an option it would take the verb as its value.
    @Flag(help: "Wait for the daemon to start.")
    var wait = false

    @Flag(help: "Print the version, and the daemon's if it differs.")
    var version = false
}

/// Shell completion after an alias of a verb.
struct CompletedAlias<Verb: ParsableCommand>: ParsableCommand {
    static var configuration: CommandConfiguration {
        var configuration = Verb.configuration
        configuration.commandName = Todoctl.aliases.first { $0.value == Verb._commandName }?.key
        return configuration
    }

    @OptionGroup var verb: Verb
}

/// Shell completion after `fork`: its verbs and the options of `fork NAME`.
struct CompletedFork: ParsableCommand {
    static let configuration = {
        var configuration = ForkVerb.configuration
        configuration.defaultSubcommand = nil
        return configuration
    }()

    // A name argument would prevent the completion of the verbs.
    @OptionGroup var moment: ForkVerb.Moment
    @OptionGroup var options: Options
}
