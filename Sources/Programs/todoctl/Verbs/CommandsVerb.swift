import ArgumentParser
import Dates
import TodoAPI
import Varlink

struct CommandsVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "commands", abstract: "Show and control the daemon's open commands.",
        discussion: """
            EXAMPLES:
              todoctl commands
              todoctl commands retry 12.0
              todoctl commands skip 12.0
              todoctl commands edit 12.0 '{"page": 2, "into": "append"}'
              todoctl commands hold
            """,
        subcommands: [
            CommandsList.self, CommandsRetry.self, CommandsSkip.self, CommandsCancel.self, CommandsEdit.self,
            CommandsHold.self, CommandsRelease.self,
        ], defaultSubcommand: CommandsList.self)
}

struct CommandName: ParsableArguments {
    @Argument(help: "The command's id, as in the list: 12.0.", completion: .commands, transform: CommandName.read)
    var id: CommandID

    private static func read(_ text: String) throws -> CommandID {
        guard let id = CommandID(text: text) else {
            throw ValidationError("invalid command id: expected one such as 12.0, not \(Visible.text(text)).")
        }
        return id
    }

    func change(_ operation: ChangeCommandMethod.Input.Operation, _ options: Options, _ sentence: String) throws {
        try options.session { session in
            try session.show(ChangeCommandMethod.self, .init(id: id, operation: operation)) { _ in [sentence] }
        }
    }
}

struct CommandsList: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the commands that have not ended.",
        discussion: """
            EXAMPLES:
              todoctl commands list
              todoctl commands --json

            waiting: not due, or after other commands; started: an attempt is running; parked: it waits until you retry or skip
            it; held: until todoctl commands release.
            """)

    @OptionGroup var options: Options

    func run(_ session: Session) throws {
        var (isEmpty, isAnyHeld) = (true, false)
        // Reads the titles of todos while the other connection streams.
        let asking = try session.client.another()
        try session.client.stream(CommandsMethod.self, NoFields()) { answer throws(Failure) in
            try session.show(answer) { reply throws(Failure) in
                isEmpty = isEmpty && reply.commands.isEmpty
                isAnyHeld = isAnyHeld || reply.commands.contains(where: \.held)
                let reminders = reply.commands.filter { $0.name == "todos.remind" }
                let titles = try asking.titles(of: reminders.compactMap { $0.arguments?["id"]?.int })
                return reply.commands.map { CommandsList.line($0, titles, session) }
            }
            return .more
        }
        if isEmpty, session.isTerminal, !session.isJSON { session.output.line("There are no open commands.") }
        guard !session.isJSON else { return }
        // Future commands may be held even if none is open.
        if !isAnyHeld { isAnyHeld = try session.client.call(StatusMethod.self, NoFields()).commandsHeld == true }
        session.show(session.heldNotice(isAnyHeld))
    }

    private static func line(_ command: OpenCommandMessage, _ titles: [Int64: String], _ session: Session) -> String {
        let reminder = command.arguments.flatMap { CommandWords.reminder(command.name, $0, titles: titles) }
        var line = "\(command.id.text)  \(Visible.text(command.name)) "
        line += reminder ?? command.arguments.map { Tree.compact($0, of: command.name) } ?? "(unreadable)"
        if line.hasSuffix(" ") { line.removeLast() }
        line += "  " + session.paint(Visible.text(command.stage), command.stage == "parked" ? .yellow : nil)
        if command.held { line += ", held" }
        if command.attempts > 0 { line += ", \(Digits.counted(command.attempts, "attempt"))" }
        if let pieces = command.pieces {
            let total = command.total.map { " of \(Digits.grouped($0))" } ?? ""
            line += ", \(Digits.grouped(command.done ?? 0))\(total) done in \(Digits.counted(pieces, "piece"))"
        }
        // The row of a reminder is due at its earliest time anywhere on earth; the line already shows the intended time.
        if let due = command.due, reminder == nil || command.reason != nil { line += ", due \(session.moment(due).text)" }
        if let edited = command.edited { line += ", edited by record \(edited)" }
        line += ", uid \(command.origin)"
        if let reason = command.reason { line += ": " + Visible.text(reason) }
        return line
    }
}

struct CommandsRetry: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry", abstract: "Retry a command now.", examples: "todoctl commands retry 12.0")

    @OptionGroup var options: Options

    @OptionGroup var name: CommandName

    func run() throws { try name.change(.retry, options, "Retrying.") }
}

struct CommandsSkip: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "skip", abstract: "Skip a command.", examples: "todoctl commands skip 12.0")

    @OptionGroup var options: Options

    @OptionGroup var name: CommandName

    func run() throws { try name.change(.skip, options, "Skipped.") }
}

struct CommandsCancel: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel", abstract: "Cancel a command, even while it runs.", examples: "todoctl commands cancel 12.0")

    @OptionGroup var options: Options

    @OptionGroup var name: CommandName

    func run() throws { try name.change(.cancel, options, "Cancelled.") }
}

struct CommandsEdit: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit", abstract: "Replace the arguments of a command.",
        discussion: """
            EXAMPLES:
              todoctl commands edit 12.0 '{"page": 2, "into": "append"}'
              todoctl commands retry 12.0

            A waiting command uses them at once; a parked one must then be retried. The log shows who did it, and the old
            arguments.
            """)

    @OptionGroup var options: Options

    @OptionGroup var name: CommandName

    @Argument(help: "All arguments, as a JSON object; todoctl commands --json shows the current ones.")
    var arguments: String

    func run(_ session: Session) throws {
        let value: Value
        do { value = try Value(parsing: arguments) } catch {
            throw Failure(.usage, "This is not valid JSON: \(error). For examples: todoctl commands edit --help")
        }
        guard value.record != nil else { throw Failure(.usage, "The arguments must be a JSON object: {...}.") }
        try session.show(ChangeCommandMethod.self, .init(id: name.id, operation: .edit, arguments: value)) {
            [$0.sequences.isEmpty ? "It has these arguments already." : "Edited."]
        }
    }
}

struct CommandsHold: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "hold", abstract: "Hold all commands until they are released.", examples: "todoctl commands hold")

    @OptionGroup var options: Options

    func run(_ session: Session) throws {
        try session.show(HoldMethod.self, .init(on: true)) { _ in ["All commands are held."] }
    }
}

struct CommandsRelease: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "release", abstract: "Release the held commands.", examples: "todoctl commands release")

    @OptionGroup var options: Options

    func run(_ session: Session) throws { try session.show(HoldMethod.self, .init(on: false)) { _ in ["Released."] } }
}
