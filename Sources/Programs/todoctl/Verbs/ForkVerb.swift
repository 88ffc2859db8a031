import ArgumentParser
import Reducing
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
            nothing is fetched or done out there, until todoctl --fork NAME commands release.
            """,
        subcommands: [Make.self, List.self, Start.self, Stop.self, Remove.self, Merge.self],
        defaultSubcommand: Make.self)

    struct Make: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make a fork, and start its daemon.",
            discussion: """
                EXAMPLES:
                  todoctl fork make try --at yesterday
                  todoctl fork try
                  todoctl fork before --at -3

                The log up to the moment comes from the running daemon, which needs no more than the right to read. It lies in
                ~/.local/state/todod/forks, which is yours alone. To use it, --fork NAME stands before the verb.
                """)

        @Argument(help: "The name: a letter, then letters, digits, '-', '_' and '.'; at most 32.")
        var name: String

        @Option(
            parsing: .unconditional,
            help: ArgumentHelp(
                "The moment: a record, -3 (records back), \"yesterday 9:00\", a bookmark; now, if left out.", valueName: "point"))
        var at: String?

        @OptionGroup var options: Options

        func run() throws {
            try options.session { session in
                let place = try ForkPlace(name)
                try ForkMaker(place: place, session: session).make(try session.point(at, edge: .end))
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
    }

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List your forks: from which moment they are, what happened in them since, whether they run.",
            discussion: """
                EXAMPLES:
                  todoctl fork list
                  todoctl fork list --json
                """)

        @OptionGroup var options: Options

        func run() throws {
            try options.session { session in
                for place in try ForkPlace.all() { try ForkEntry(place).show(session) { [$0] } }
            }
        }
    }

    struct Start: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Start the daemon of a fork, as after a restart of the machine.",
            discussion: """
                EXAMPLES:
                  todoctl fork start try
                """)

        @Argument(help: "The name.")
        var name: String

        @OptionGroup var options: Options

        func run() throws {
            try options.session { session in
                let place = try ForkPlace(existing: name)
                try ForkDaemon(place: place).start()
                try ForkEntry(place).show(session) { [$0] }
            }
        }
    }

    struct Stop: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Stop the daemon of a fork; its log stays.",
            discussion: """
                EXAMPLES:
                  todoctl fork stop try
                """)

        @Argument(help: "The name.")
        var name: String

        @OptionGroup var options: Options

        func run() throws {
            try options.session { session in
                let place = try ForkPlace(existing: name)
                try ForkDaemon(place: place).stop()
                try ForkEntry(place).show(session) { [$0] }
            }
        }
    }

    struct Remove: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Stop a fork, and remove it with its log.",
            discussion: """
                EXAMPLES:
                  todoctl fork remove try
                  todoctl fork remove try --yes

                Asks first if anything happened in it that was not merged.
                """)

        @Argument(help: "The name.")
        var name: String

        @OptionGroup var consent: Consent

        @OptionGroup var options: Options

        func run() throws {
            try options.session { session in
                let place = try ForkPlace(existing: name)
                let daemon = ForkDaemon(place: place)
                if !consent.yes || consent.dryRun {
                    // What does not run can't tell what it holds.
                    let isRunning = daemon.pid != nil
                    if !isRunning { try daemon.startAlone() }
                    let entry = try ForkEntry(place)
                    if !isRunning { try daemon.stop() }
                    if consent.dryRun { return try entry.show(session) { ["Would remove: \($0)"] } }
                    if let count = entry.unmerged, count > 0 {
                        try consent.ask("\(Digits.grouped(count)) records of \(name) are nowhere else. Remove it?", session)
                    }
                }
                try daemon.stop()
                try DirectoryTree.remove(place.directory)
                if !session.isJSON { session.output.line("Removed the fork \(name).") }
            }
        }
    }
}

extension ForkVerb {
    struct Merge: ParsableCommand {
        static let configuration = CommandConfiguration(
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

        @Argument(help: "The name.")
        var name: String

        @Option(help: ArgumentHelp("Only through this record of the fork.", valueName: "record"))
        var through: UInt64?

        @Flag(help: "What both changed becomes what the fork made of it.")
        var force = false

        @OptionGroup var consent: Consent

        @OptionGroup var options: Options

        func run() throws {
            try options.session { session in
                let place = try ForkPlace(existing: name)
                let records = ExportMethod.Input(
                    from: Point(sequence: try place.read().sequence + 1), to: through.map { Point(sequence: $0) })
                let (copy, upload) = try LogCopy.copied(records, from: try ForkDaemon(place: place).client(), to: session.client)
                do throws(Failure) {
                    try merge(upload, through: copy.last, place, session)
                } catch {
                    throw UndoLines.telling(error)
                }
            }
        }

        /// Shows what would change, asks, and does it.
        private func merge(_ upload: UInt64, through last: UInt64, _ place: ForkPlace, _ session: Session) throws(Failure) {
            let input = { (isDryRun: Bool) in
                MergeForkMethod.Input(
                    upload: upload, force: force ? true : nil, dryRun: isDryRun ? true : nil,
                    key: isDryRun ? nil : DispatchKey.make())
            }
            let dryRun = try session.client.ask(MergeForkMethod.self, input(true))
            let would = try dryRun.output()
            let isNothing = would.changes?.isEmpty == true && would.commands.isEmpty
            if consent.dryRun || !session.isJSON {
                try session.show(dryRun) { would in
                    if isNothing { return ["Nothing in \(name) is new here."] }
                    return ["To take over \(name) would change:"]
                        + UndoLines(would).details(isDryRun: true, paint: session.paint)
                }
                if isNothing || consent.dryRun { return }
            }
            try consent.ask("Take it over?", session)
            try session.show(MergeForkMethod.self, input(false)) { answer in
                guard let step = answer.step else { return ["Nothing in \(name) is new here."] }
                let said = "Took over \(name) through record \(last)."
                return session.isTerminal ? [said, "(todoctl undo \(step))"] : [said]
            }
            try place.noteMerged(through: last)
        }
    }
}

/// What there is to tell of a fork.
struct ForkEntry {
    private let place: ForkPlace
    private let fork: ForkMessage
    private let isRunning: Bool
    /// The records that came since it was made; `nil`: it does not run, and so does not tell.
    let records: UInt64?
    /// Those of them that were not merged.
    var unmerged: UInt64? {
        records.map { count in
            let merged = place.mergedThrough.map { $0 - min($0, fork.sequence + 1) } ?? 0
            return count - min(count, merged)
        }
    }

    init(_ place: ForkPlace) throws(Failure) {
        self.place = place
        fork = try place.read()
        let daemon = ForkDaemon(place: place)
        isRunning = daemon.pid != nil
        // The first record of its own says that its commands are held.
        records = isRunning ? try daemon.client().call(PingMethod.self, NoFields()).sequence - fork.sequence - 1 : nil
    }

    /// As an object, or in lines.
    func show(_ session: Session, _ lines: (String) -> [String]) throws(Failure) {
        guard session.isJSON else { return session.show(lines(line(session))) }
        var members: [Value.Field] = []
        var bytes: [UInt8] = []
        fork.write(into: &bytes)
        for field in (try? Value(parsing: bytes))?.record ?? [] where field.name != "socket" { members.append(field) }
        members += [.init("of", .text(fork.socket)), .init("socket", .text(place.socket)), .init("running", .bool(isRunning))]
        if let records { members.append(.init("records", .int(Int64(clamping: records)))) }
        if let merged = place.mergedThrough { members.append(.init("merged", .int(Int64(clamping: merged)))) }
        session.output.json(members)
    }

    private func line(_ session: Session) -> String {
        let time = fork.time.map { ", \(session.moment($0).text)" } ?? ""
        let since = records.map { ", \(Digits.grouped($0)) \($0 == 1 ? "record" : "records") since" } ?? ""
        let merged = place.mergedThrough.map { "; merged through record \($0)" } ?? ""
        return "\(place.name)  from record \(fork.sequence)\(time)\(since)\(merged)\(isRunning ? "" : "; stopped")"
    }
}
