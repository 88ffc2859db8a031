import ArgumentParser
import Chronicle
import TodoAPI

struct WhatIfVerb: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "whatif", abstract: "Show the result of an altered history.",
        discussion: """
            EXAMPLES:
              todoctl whatif --skip 12
              todoctl whatif --skip 12..20 --only
              todoctl whatif --skip @-1
              todoctl whatif --edit '12={"todos": {"add": {"items": [{"title": "Bread"}]}}}'
              todoctl whatif --insert '12={"counter": {"increment": {}}}'
              todoctl whatif --skip 12 --at yesterday
              todoctl whatif --skip 12 --apply

            Nothing is written, and no command is run. Records keep their numbers; records inserted after 12 are 12.1, 12.2.
            Skipping a record skips its step, editing one replaces its whole dispatch, and a result is dropped with its command.
            Affected undos are recomputed; with --only, just those of edited records.

            --apply changes the current state to the altered one, as one step, after a preview.
            """)

    @OptionGroup var options: Options

    @Option(help: ArgumentHelp("Skip a record or a range, with their steps; can be repeated.", valueName: "seq|a..b"))
    var skip: [String] = []

    @Option(help: ArgumentHelp("Replace the action of a record; can be repeated.", valueName: "seq=json"))
    var edit: [String] = []

    @Option(help: ArgumentHelp("Insert an action after a record (0: before the first); can be repeated.", valueName: "seq=json"))
    var insert: [String] = []

    @OptionGroup var at: PointOption

    @Flag(help: "Alter only the named records, not their steps and dispatches.")
    var only = false

    @Flag(help: "Keep the results of commands that are no longer requested.")
    var keepResults = false

    @Flag(help: "Change the current state to the altered one.")
    var apply = false

    @OptionGroup var consent: Consent

    func validate() throws {
        if consent.yes || consent.dryRun, !apply { throw ValidationError("--yes and --dry-run go with --apply.") }
        if apply, at.text != nil { throw ValidationError("--apply changes the current state, so it excludes --at.") }
        guard !(skip + edit + insert).isEmpty else {
            throw ValidationError("No alteration is given: use --skip, --edit or --insert.")
        }
    }

    func run(_ session: Session) throws {
        let alterations = try AlterationArguments(record: session.record).alterations(skip: skip, edit: edit, insert: insert)
        let input = WhatIfMethod.Input(
            alterations: alterations, at: try at.point(session), only: only ? true : nil,
            keepResults: keepResults ? true : nil)
        // A long list of changes is sent in several replies.
        let answers = try Failure.telling(of: alterations) { () throws(Failure) in
            try session.research(WhatIfMethod.self, input) { $0.to == nil && $0.changes == nil ? ($0.reached, nil) : nil }
        }
        guard let answer = try answers.first?.output() else { throw Failure.unexpected("The daemon did not answer.") }
        if apply {
            if !session.isJSON { session.show(AlternativeLines(paint: session.paint).head(answer)) }
            return try lead(session, alterations)
        }
        if session.isJSON { return answers.forEach { session.output.json($0.members) } }
        session.show(AlternativeLines(paint: session.paint).head(answer))
        let changes = try answers.flatMap { try $0.output().changes ?? [] }
        guard !changes.isEmpty else { return session.output.line("The state would be the same.") }
        session.output.line("The state would differ:")
        session.show(changes.map { "    " + ChangeLines.line($0, paint: session.paint) })
        session.output.line("Nothing was changed.")
    }

    private func lead(_ session: Session, _ alterations: [AlterationMessage]) throws(Failure) {
        let change = ProposedChange<ApplyWhatIfMethod>(
            consent: consent, heading: { _ in "Applying this history would change:" },
            nothing: { _ in "The state would be the same." }, question: "Apply it?",
            done: { _ in "Applied the altered history." },
            input: { would in
                .init(
                    alterations: alterations, only: only ? true : nil, keepResults: keepResults ? true : nil,
                    dryRun: would == nil ? true : nil, key: would == nil ? nil : DispatchKey.make(),
                    expectedOutcome: consent.outcome(shown: would))
            })
        try Failure.telling(of: alterations) { () throws(Failure) in try change.make(session) }
    }
}

/// An altered history as lines for a person.
struct AlternativeLines {
    var paint: Paint

    /// The altered records, and the commands that would or would not have run.
    func head(_ answer: WhatIfMethod.Output) -> [String] {
        var lines = (answer.records ?? []).map(record) + (answer.notRun ?? []).map(missing) + (answer.wouldRun ?? []).map(asked)
        if answer.cut == true { lines.append(paint("Not everything is shown.", .yellow)) }
        return lines
    }

    private func record(_ record: AlteredRecordMessage) -> String {
        let actions = record.actions.map(RecordLines.what).joined(separator: ", ")
        let what: String
        switch record.kind {
        case "skipped": what = paint("skipped", .dim)
        case "vanished": what = paint("dropped with its command", .dim)
        case "edited": what = actions.isEmpty ? "would log nothing" : "would be \(actions)"
        case "inserted": what = "would be \(actions)"
        case "replaced": what = paint("replaced with its dispatch", .dim)
        case "anew": what = actions.isEmpty ? "would undo nothing" : "would undo by \(actions)"
        case "outdated": what = "can't be recomputed, and stays \(actions)"
        case "ended": what = "would log a result: \(actions)"
        default: what = Visible.text(record.kind)
        }
        return "\(place(record.sequence, record.insertion))  \(what)"
    }

    private func missing(_ missing: MissingCommandMessage) -> String {
        let call = Tree.call(missing.command.name, missing.command.arguments)
        var line = "- would not run \(call)  (for \(missing.command.id?.sequence ?? 0)"
        if missing.reason == "displaced" { line += ", superseded" }
        if let outcome = missing.outcome { line += "; in the log: \(Visible.text(outcome))" }
        return paint(line + ")", .red)
    }

    private func asked(_ asked: AskedCommandMessage) -> String {
        let call = Tree.call(asked.command.name, asked.command.arguments)
        let reason = asked.reason == "notDisplaced" ? ", no longer superseded" : ""
        return paint("+ would run \(call)  (for \(place(asked.sequence, asked.insertion))\(reason))", .green)
    }

    private func place(_ sequence: UInt64, _ insertion: Int) -> String {
        insertion == 0 ? "\(sequence)" : "\(sequence).\(insertion)"
    }
}
