import ArgumentParser
import TodoAPI

struct Redact: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "redact",
        abstract: "Take texts out of records, for good.",
        discussion: """
            EXAMPLES:
              todoctl redact 57
              todoctl redact @-1 --dry-run
              todoctl redact --text "Mr. Miller"
              todoctl redact --todo 3 --yes

            Shows what would be taken out and asks. The texts become ⟨redacted⟩ in the log and in all states, past and present; ids
            and numbers stay. Of one record all texts go, and other records with the same text are named.

            With --text every record is looked through: what was added, edited, loaded, typed and brought back, and what was put back by an
            undo; each text with that in it goes, whatever the case of its letters a to z, and all other texts stay. With --todo the title,
            the note and the tags that a todo ever had go, wherever a record gives them to it, and not those of other todos beside it.

            What names something (an id, a key, a language), and the names of bookmarks and reasons of locks, stay. So do exports, backups,
            archives and what was written to the daemon's journal. The file keeps freed pages until todoctl compact. What its file calls
            a todo that was imported is a text too, and goes: a file that is imported again after that adds its todos anew.
            """)

    @OptionGroup var options: Options

    @Argument(help: "The record: its sequence, or @-3 for the third before the last.")
    var record: String?

    @Option(help: ArgumentHelp("This text, out of every record that holds it.", valueName: "text"))
    var text: String?

    @Option(help: ArgumentHelp("The texts of this todo, out of every record about it.", valueName: "id"), completion: .todos)
    var todo: Int64?

    @OptionGroup var consent: Consent

    func validate() throws {
        guard [record != nil, text != nil, todo != nil].count(where: { $0 }) == 1 else {
            throw ValidationError("Name a record, or a text with --text, or a todo with --todo.")
        }
        guard (text?.utf8.count ?? 0) <= LogMethod.searchBytesMax else {
            throw ValidationError("--text takes a text of at most \(LogMethod.searchBytesMax) bytes.")
        }
    }

    func run(_ session: Session) throws {
        if let text { return try RedactionOfMany(.text(text), consent).make(session) }
        if let todo { return try RedactionOfMany(.todo(todo), consent).make(session) }
        let sequence = try session.record(record ?? "")
        if consent.dryRun || !consent.yes {
            let dryRun = try session.client.ask(RedactMethod.self, .init(sequence: sequence, dryRun: true))
            if consent.dryRun || !session.isJSON {
                try session.show(dryRun) { dryRun throws(Failure) in try dryRunLines(dryRun, session) }
            }
            if consent.dryRun { return }
            try consent.ask("Blank them, for good?", session)
        }
        let answer = try session.client.ask(
            RedactMethod.self, .init(sequence: sequence),
            ifLost: "todoctl log --from \(sequence) --to \(sequence) --ungrouped")
        try session.show(answer) { answer in
            ["Blanked all texts of record \(sequence)."] + Redact.staying("what it held")
                + Redact.rest(copies: answer.copies, archive: answer.archive, base: answer.base)
        }
    }

    /// The record as it is and as it would be, and what would stay.
    private func dryRunLines(_ dryRun: RedactMethod.Output, _ session: Session) throws(Failure) -> [String] {
        var lines = ["Would blank all texts of record \(dryRun.sequence):"]
        let table = RecordLines(zone: session.zone, paint: session.paint)
        if let found = try session.record(dryRun.sequence) { lines.append("    " + table.line(found.record)) }
        lines.append("    would be \(dryRun.action.map(RecordLines.what) ?? "?")")
        return lines + Redact.staying("what it holds now")
            + Redact.rest(copies: dryRun.copies, archive: dryRun.archive, base: dryRun.base)
    }

    /// What stays on disk of what goes, whatever is taken out.
    static func staying(_ what: String) -> [String] {
        [
            "It can't be undone. Until todoctl compact is run, free pages of the file keep \(what).",
            "Exports, backups, archives and the daemon's journal keep what they have.",
        ]
    }

    /// Where else the texts are.
    static func rest(copies: [UInt64], archive: String?, base: UInt64?) -> [String] {
        var lines: [String] = []
        let copies = copies.map(String.init)
        if !copies.isEmpty {
            let (which, hold) = copies.count == 1 ? ("Record", "holds") : ("Records", "hold")
            lines.append("\(which) \(copies.joined(separator: ", ")) \(hold) one of them, too.")
        }
        if let archive {
            lines.append("The records before the log was compacted may hold one of them; they are in \(Visible.text(archive)).")
        } else if let base {
            lines.append(
                "This log begins behind record \(base). The records before it, where it comes from, may hold one of them.")
        }
        return lines
    }
}
