import ArgumentParser
import TodoAPI

struct Redact: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "redact",
        abstract: "Permanently remove texts from records.",
        discussion: """
            EXAMPLES:
              todoctl redact 57
              todoctl redact @-1 --dry-run
              todoctl redact --text "Mr. Miller"
              todoctl redact --todo 3 --yes

            Shows a preview and asks. The texts become ⟨redacted⟩ in the log and in all states, past and present; ids and numbers
            stay. For a record, all of its texts are removed, and other records with the same text are listed.

            --text removes every text that contains it, ignoring the case of a to z, from all records. --todo removes every title,
            note and tag that a todo ever had, but not those of other todos in the same records.

            Names (ids, keys, languages, bookmarks, reasons of locks) stay, as do exports, backups, archives and the journal. The
            file keeps freed pages until todoctl compact. A todo's id in an imported file is removed too, so importing the file
            again adds its todos as new ones.
            """)

    @OptionGroup var options: Options

    @Argument(help: "The record: its sequence, or @-3 for the third before the last one.")
    var record: String?

    @Option(help: ArgumentHelp("Remove this text from all records.", valueName: "text"))
    var text: String?

    @Option(help: ArgumentHelp("Remove the texts of this todo from all records.", valueName: "id"), completion: .todos)
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
        if let text { return try BulkRedaction(.text(text), consent).make(session) }
        if let todo { return try BulkRedaction(.todo(todo), consent).make(session) }
        let sequence = try session.record(record ?? "")
        if consent.dryRun || !consent.yes {
            let dryRun = try session.client.ask(RedactMethod.self, .init(sequence: sequence, dryRun: true))
            if consent.dryRun || !session.isJSON {
                try session.show(dryRun) { dryRun throws(Failure) in try dryRunLines(dryRun, session) }
            }
            if consent.dryRun { return }
            try consent.ask("Blank them permanently?", session)
        }
        let answer = try session.client.ask(
            RedactMethod.self, .init(sequence: sequence),
            ifLost: "todoctl log --from \(sequence) --to \(sequence) --ungrouped")
        try session.show(answer) { answer in
            ["Blanked all texts of record \(sequence)."] + Redact.staying("what it held")
                + Redact.rest(copies: answer.copies, archive: answer.archive, base: answer.base)
        }
    }

    /// The record before and after, and what stays.
    private func dryRunLines(_ dryRun: RedactMethod.Output, _ session: Session) throws(Failure) -> [String] {
        var lines = ["Would blank all texts of record \(dryRun.sequence):"]
        let table = RecordLines(zone: session.zone, paint: session.paint)
        if let found = try session.record(dryRun.sequence) { lines.append("    " + table.line(found.record)) }
        lines.append("    would be \(dryRun.action.map(RecordLines.what) ?? "?")")
        return lines + Redact.staying("what it holds now")
            + Redact.rest(copies: dryRun.copies, archive: dryRun.archive, base: dryRun.base)
    }

    /// Where redacted texts stay on disk.
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
            lines.append("\(which) \(copies.joined(separator: ", ")) \(hold) one of them as well.")
        }
        if let archive {
            lines.append("Compacted records may contain one of them; they are in \(Visible.text(archive)).")
        } else if let base {
            lines.append(
                "This log begins after record \(base). Earlier records, in the original log, may contain one of them.")
        }
        return lines
    }
}
