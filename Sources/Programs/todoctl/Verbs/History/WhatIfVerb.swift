import ArgumentParser
import Chronicle
import TodoAPI

struct WhatIfVerb: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "whatif", abstract: "Show what would be if history had gone otherwise.",
        discussion: """
            EXAMPLES:
              todoctl whatif --skip 12
              todoctl whatif --skip 12..20 --only
              todoctl whatif --skip @-1
              todoctl whatif --edit '12={"todos": {"add": {"items": [{"title": "Bread"}]}}}'
              todoctl whatif --insert '12={"counter": {"increment": {}}}'
              todoctl whatif --skip 12 --at yesterday
              todoctl whatif --skip 12 --apply

            Nothing is written, and no command is run. Records keep their numbers; what is inserted behind 12 is 12.1, 12.2. A
            skipped record takes its whole step along, an edited one stands for all of its dispatch, and a result goes with the
            command that brought it. Undos of what is different are computed anew; with --only just those of edited records, and all
            others stay as they were logged.

            With --apply the present is led to the altered state, as one step that todoctl undo takes back: what would change is shown
            first, and asked about.
            """)

    @OptionGroup var options: Options

    @Option(help: ArgumentHelp("Leave out a record, or a range of them, with their steps.", valueName: "seq|a..b"))
    var skip: [String] = []

    @Option(help: ArgumentHelp("Let a record bring another action.", valueName: "seq=json"))
    var edit: [String] = []

    @Option(help: ArgumentHelp("Put an action in behind a record; 0 is before everything.", valueName: "seq=json"))
    var insert: [String] = []

    @OptionGroup var at: PointOption

    @Flag(help: "Skip or edit the records alone, without their steps and dispatches.")
    var only = false

    @Flag(help: "Keep all results, also of commands that nothing asks for any more.")
    var keepResults = false

    @Flag(help: "Lead the present to the altered state.")
    var apply = false

    @OptionGroup var consent: Consent

    func validate() throws {
        if consent.yes || consent.dryRun, !apply { throw ValidationError("--yes and --dry-run go with --apply.") }
        if apply, at.text != nil { throw ValidationError("--apply is about now, so it excludes --at.") }
        guard !(skip + edit + insert).isEmpty else {
            throw ValidationError("Say what is to be different: --skip, --edit or --insert.")
        }
    }

    func run(_ session: Session) throws {
        let alterations = try AlterationWords(record: session.record).alterations(skip: skip, edit: edit, insert: insert)
        let input = WhatIfMethod.Input(
            alterations: alterations, at: try at.point(session), only: only ? true : nil,
            keepResults: keepResults ? true : nil)
        // Of a long list of changes there are several pieces.
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
            consent: consent, heading: { _ in "Going there would change:" },
            nothing: { _ in "The state would be the same." }, question: "Lead the present there?",
            done: { _ in "It is now as if it had been so." },
            input: { would in
                .init(
                    alterations: alterations, only: only ? true : nil, keepResults: keepResults ? true : nil,
                    dryRun: would == nil ? true : nil, key: would == nil ? nil : DispatchKey.make(),
                    expectedOutcome: consent.outcome(shown: would))
            })
        try Failure.telling(of: alterations) { () throws(Failure) in try change.make(session) }
    }
}

/// What an altered history comes to, as lines for a person.
struct AlternativeLines {
    var paint: Paint

    /// What became of records, and which commands would and would not have run.
    func head(_ answer: WhatIfMethod.Output) -> [String] {
        var lines = (answer.records ?? []).map(record) + (answer.notRun ?? []).map(missing) + (answer.wouldRun ?? []).map(asked)
        if answer.cut == true { lines.append(paint("There is more than is shown.", .yellow)) }
        return lines
    }

    private func record(_ record: AlteredRecordMessage) -> String {
        let actions = record.actions.map(RecordLines.what).joined(separator: ", ")
        let what: String
        switch record.kind {
        case "skipped": what = paint("skipped", .dim)
        case "vanished": what = paint("goes with the command that brought it", .dim)
        case "edited": what = actions.isEmpty ? "would bring nothing" : "would be \(actions)"
        case "inserted": what = "would be \(actions)"
        case "replaced": what = paint("goes with the record that stands for it", .dim)
        case "anew": what = actions.isEmpty ? "would take back nothing" : "would take back by \(actions)"
        case "outdated": what = "can't be computed anew, and stays \(actions)"
        case "ended": what = "would tell of an end: \(actions)"
        default: what = Visible.text(record.kind)
        }
        return "\(place(record.sequence, record.insertion))  \(what)"
    }

    private func missing(_ missing: MissingCommandMessage) -> String {
        let call = Tree.call(missing.command.name, missing.command.arguments)
        var line = "- would not run \(call)  (for \(missing.command.id?.sequence ?? 0)"
        if missing.reason == "displaced" { line += ", another one takes its place" }
        if let outcome = missing.outcome { line += "; in the log: \(Visible.text(outcome))" }
        return paint(line + ")", .red)
    }

    private func asked(_ asked: AskedCommandMessage) -> String {
        let call = Tree.call(asked.command.name, asked.command.arguments)
        let reason = asked.reason == "notDisplaced" ? ", which nothing takes back" : ""
        return paint("+ would run \(call)  (for \(place(asked.sequence, asked.insertion))\(reason))", .green)
    }

    private func place(_ sequence: UInt64, _ insertion: Int) -> String {
        insertion == 0 ? "\(sequence)" : "\(sequence).\(insertion)"
    }
}
