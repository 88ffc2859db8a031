import ArgumentParser
import Chronicle
import TodoAPI

struct ForkVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fork", abstract: "Create and manage forks: your own daemons on copies of the log.",
        discussion: """
            EXAMPLES:
              todoctl fork try
              todoctl fork try --at yesterday
              todoctl --fork try add Bread
              todoctl fork list
              todoctl fork merge try
              todoctl fork stop try
              todoctl fork remove try

            A fork has its own log and does not affect the original daemon. Its commands are held until todoctl --fork NAME
            commands release. A name that resembles a verb needs make: todoctl fork make main.
            """,
        subcommands: [Make.self, List.self, Start.self, Stop.self, Remove.self, Merge.self],
        defaultSubcommand: Make.self)

    struct Make: SessionCommand {
        static let configuration = CommandConfiguration(
            commandName: "make",
            abstract: "Create a fork, and start its daemon.",
            discussion: """
                EXAMPLES:
                  todoctl fork make try --at yesterday
                  todoctl fork try
                  todoctl fork before --at -3

                The log is copied from the running daemon, which needs only the right to read. The fork is in
                ~/.local/state/todod-forks, which only you can access. To use it, put --fork NAME before the verb.
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
                    "To merge its changes: todoctl fork merge \(name)",
                ]
            }
        }
    }

    /// The point at which a fork begins.
    struct Moment: ParsableArguments {
        @Option(
            parsing: .unconditional,
            help: ArgumentHelp(
                "The point: a record, -3 (records back), \"yesterday 9:00\", a bookmark (default: now).", valueName: "point"),
            completion: .moments)
        var at: String?
    }

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "List your forks: their points, new records, and whether they run.",
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
                throw Failure(.damaged, "\(Digits.counted(brokenCount, "fork")) can't be read, for the reasons above.")
            }
        }
    }

    struct Start: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "start", abstract: "Start the daemon of a fork, for example after a reboot.",
            examples: "todoctl fork start try")

        @OptionGroup var fork: NamedFork

        func run() throws {
            try fork.session { place, session in
                // Checks the fork's files before its daemon is started.
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
            abstract: "Stop a fork, and delete its log.",
            discussion: """
                EXAMPLES:
                  todoctl fork remove try
                  todoctl fork remove try --yes

                Asks for confirmation, unless all changes of the fork were merged.
                """)

        @OptionGroup var fork: NamedFork

        @OptionGroup var consent: Consent

        func run() throws {
            try fork.session { place, session in
                let daemon = ForkDaemon(place: place)
                if !consent.yes || consent.dryRun {
                    _ = try place.read()
                    // Only a running daemon can tell what its log contains.
                    let isRunning = try daemon.isRunning()
                    if !isRunning { try daemon.startAlone() }
                    let entry = try ForkEntry(place)
                    let isSomethingLost = try !consent.dryRun && entry.records != 0 && !place.isTakenOver()
                    if !isRunning { try daemon.stop() }
                    if consent.dryRun { return try entry.show(session) { ["Would remove: \($0)"] } }
                    if let count = entry.records, isSomethingLost {
                        let records = Digits.counted(count, "record")
                        try consent.ask("Not all changes of \(place.name) (\(records)) were merged. Remove it?", session)
                    } else if entry.records == nil {
                        try consent.ask("Its log ends before the record at which it was forked. Remove it?", session)
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
    /// The fork whose daemon a verb uses.
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
            abstract: "Merge the changes of a fork, as one step.",
            discussion: """
                EXAMPLES:
                  todoctl fork merge try
                  todoctl fork merge try --dry-run
                  todoctl fork merge try --through 1240 --yes

                Shows what would change and asks. Changes made here stay; conflicts are shown, and nothing is done without
                --force. A later merge brings only new changes of the fork. To leave out a change, undo it in the fork first:
                todoctl --fork NAME undo. The merge is undone by todoctl undo.
                """)

        @Argument(help: "The name.", completion: .forks)
        var name: String

        @Option(
            parsing: .unconditional, help: ArgumentHelp("Last record of the fork to merge.", valueName: "record"),
            transform: Numeral.whole(from: 1))
        var through: UInt64?

        @Flag(help: "Resolve conflicts in favour of the fork.")
        var force = false

        @OptionGroup var consent: Consent

        @OptionGroup var options: Options

        func run(_ session: Session) throws {
            let place = try ForkPlace(existing: name)
            let (copy, upload) = try place.handOn(to: session.client)
            if let through, through < copy.first || through > copy.last {
                throw Failure(
                    .usage,
                    "invalid record \(through): expected one of the fork's own records, \(copy.first) to \(copy.last).")
            }
            do throws(Failure) { try merge(upload, through: through ?? copy.last, session) } catch {
                throw UndoLines.telling(error)
            }
        }

        private func merge(_ upload: UInt64, through last: UInt64, _ session: Session) throws(Failure) {
            let change = ProposedChange<MergeForkMethod>(
                consent: consent, heading: { _ in "Merging \(name) would change:" },
                nothing: { _ in "\(name) has no new changes." }, question: "Merge it?",
                done: { _ in "Merged \(name) through record \(last)." },
                input: { would in
                    .init(
                        upload: upload, through: through, force: force ? true : nil, dryRun: would == nil ? true : nil,
                        key: would == nil ? nil : DispatchKey.make(), expectedOutcome: consent.outcome(shown: would))
                })
            try change.make(session)
        }
    }
}
