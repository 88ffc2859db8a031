import ArgumentParser
import Chronicle
import TodoAPI

struct ForkVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fork", abstract: "A daemon of your own that begins with the log as it was at a moment, to try things with.",
        discussion: """
            EXAMPLES:
              todoctl fork try
              todoctl fork try --at yesterday
              todoctl --fork try add Bread
              todoctl fork list
              todoctl fork merge try
              todoctl fork stop try
              todoctl fork remove try

            What happens in a fork is in its own log: the daemon that it was made from knows nothing of it. Its commands are held, so
            nothing is fetched or done out there, until todoctl --fork NAME commands release. A name that looks like one of the verbs
            here stands behind make: todoctl fork make main.
            """,
        subcommands: [Make.self, List.self, Start.self, Stop.self, Remove.self, Merge.self],
        defaultSubcommand: Make.self)

    struct Make: SessionCommand {
        static let configuration = CommandConfiguration(
            commandName: "make",
            abstract: "Make a fork, and start its daemon.",
            discussion: """
                EXAMPLES:
                  todoctl fork make try --at yesterday
                  todoctl fork try
                  todoctl fork before --at -3

                The log up to the moment comes from the running daemon, by the right to read alone. The fork lies in
                ~/.local/state/todod-forks, which is yours alone. To use it, --fork NAME stands before the verb.
                """)

        @Argument(help: "The name: a letter, then letters, digits, '-', '_' and '.'; at most 32.")
        var name: String

        @OptionGroup var moment: Moment

        @OptionGroup var options: Options

        func run(_ session: Session) throws {
            let place = try ForkPlace(name)
            try ForkMaker(place: place, session: session).make(try session.point(moment.at, edge: .moment))
            try ForkDaemon(place: place).start()
            let entry = try ForkEntry(place)
            try entry.show(session) { line in
                [
                    line, "To use it: todoctl --fork \(name) list", "Its commands are held.",
                    "To take over what happens in it: todoctl fork merge \(name)",
                ]
            }
        }
    }

    /// From which moment a fork is.
    struct Moment: ParsableArguments {
        @Option(
            parsing: .unconditional,
            help: ArgumentHelp(
                "The moment: a record, -3 (records back), \"yesterday 9:00\", a bookmark; now, if left out.", valueName: "point"),
            completion: .moments)
        var at: String?
    }

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "List your forks: from which moment they are, what happened in them since, whether they run.",
            examples: "todoctl fork list", "todoctl fork list --json")

        @OptionGroup var options: Options

        func run() throws {
            var brokenCount = 0
            for place in try ForkPlace.all() {
                try options.session(of: place) { session in
                    do throws(Failure) { try ForkEntry(place).show(session) { [$0] } } catch {
                        brokenCount += 1
                        ForkEntry.show(error, of: place, session)
                    }
                }
            }
            guard brokenCount == 0 else {
                throw Failure(.damaged, "Of \(Digits.counted(brokenCount, "fork")) nothing can be told but why.")
            }
        }
    }

    struct Start: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "start", abstract: "Start the daemon of a fork, as after a restart of the machine.",
            examples: "todoctl fork start try")

        @OptionGroup var fork: NamedFork

        func run() throws {
            try fork.session { place, session in
                // Nothing of it may be taken for what it is a fork of.
                _ = try place.read()
                try ForkDaemon(place: place).start()
                try ForkEntry(place).show(session) { [$0] }
            }
        }
    }

    struct Stop: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "stop", abstract: "Stop the daemon of a fork; its log stays.", examples: "todoctl fork stop try")

        @OptionGroup var fork: NamedFork

        func run() throws {
            try fork.session { place, session in
                try ForkDaemon(place: place).stop()
                try ForkEntry(place).show(session) { [$0] }
            }
        }
    }

    struct Remove: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove",
            abstract: "Stop a fork, and remove it with its log.",
            discussion: """
                EXAMPLES:
                  todoctl fork remove try
                  todoctl fork remove try --yes

                Asks first, unless the daemon that it was made from says that all of it was taken over.
                """)

        @OptionGroup var fork: NamedFork

        @OptionGroup var consent: Consent

        func run() throws {
            try fork.session { place, session in
                let daemon = ForkDaemon(place: place)
                if !consent.yes || consent.dryRun {
                    _ = try place.read()
                    // What does not run can't tell what it holds.
                    let isRunning = try daemon.isRunning()
                    if !isRunning { try daemon.startAlone() }
                    let entry = try ForkEntry(place)
                    let isSomethingLost = try !consent.dryRun && entry.records != 0 && !place.isTakenOver()
                    if !isRunning { try daemon.stop() }
                    if consent.dryRun { return try entry.show(session) { ["Would remove: \($0)"] } }
                    if let count = entry.records, isSomethingLost {
                        let records = Digits.counted(count, "record")
                        try consent.ask("Not all that happened in \(place.name) (\(records)) was taken over. Remove it?", session)
                    } else if entry.records == nil {
                        try consent.ask("Its log ends before the record that it is a fork from. Remove it?", session)
                    }
                }
                try daemon.stop()
                try DirectoryTree.remove(place.directory)
                guard session.isJSON else { return session.output.line("Removed the fork \(place.name).") }
                session.output.json([.init("name", .text(place.name)), .init("removed", .bool(true))])
            }
        }
    }
}

extension ForkVerb {
    /// The fork that a verb is about, whose daemon alone is asked.
    struct NamedFork: ParsableArguments {
        @Argument(help: "The name.", completion: .forks)
        var name: String

        @OptionGroup var options: Options

        func session(_ body: (ForkPlace, Session) throws -> Void) throws {
            let place = try ForkPlace(existing: name)
            try options.session(of: place) { try body(place, $0) }
        }
    }
}

extension ForkVerb {
    struct Merge: SessionCommand {
        static let configuration = CommandConfiguration(
            commandName: "merge",
            abstract: "Take over what happened in a fork, as one step.",
            discussion: """
                EXAMPLES:
                  todoctl fork merge try
                  todoctl fork merge try --dry-run
                  todoctl fork merge try --through 1240 --yes

                Shows what would change and asks. What happened here meanwhile stays; what both changed is named, and nothing is done
                without --force. Merged again, only what the fork did since is taken over. What is not wanted is undone in the fork
                before: todoctl --fork NAME undo. The step is taken back by todoctl undo.
                """)

        @Argument(help: "The name.", completion: .forks)
        var name: String

        @Option(
            parsing: .unconditional, help: ArgumentHelp("Only through this record of the fork.", valueName: "record"),
            transform: Numeral.whole(from: 1))
        var through: UInt64?

        @Flag(help: "What both changed becomes what the fork made of it.")
        var force = false

        @OptionGroup var consent: Consent

        @OptionGroup var options: Options

        func run(_ session: Session) throws {
            let place = try ForkPlace(existing: name)
            let (copy, upload) = try place.handOn(to: session.client)
            if let through, through < copy.first || through > copy.last {
                throw Failure(
                    .usage,
                    "What happened in \(name) are its records \(copy.first) to \(copy.last); --through takes one of them.")
            }
            do throws(Failure) { try merge(upload, through: through ?? copy.last, session) } catch {
                throw UndoLines.telling(error)
            }
        }

        private func merge(_ upload: UInt64, through last: UInt64, _ session: Session) throws(Failure) {
            let change = ProposedChange<MergeForkMethod>(
                consent: consent, heading: { _ in "Taking over \(name) would change:" },
                nothing: { _ in "Nothing in \(name) is new here." }, question: "Take it over?",
                done: { _ in "Took over \(name) through record \(last)." },
                input: { would in
                    .init(
                        upload: upload, through: through, force: force ? true : nil, dryRun: would == nil ? true : nil,
                        key: would == nil ? nil : DispatchKey.make(), expectedOutcome: consent.outcome(shown: would))
                })
            try change.make(session)
        }
    }
}
