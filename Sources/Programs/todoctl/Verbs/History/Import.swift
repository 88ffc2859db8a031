import ArgumentParser
import Glibc
import TodoAPI
import TodoFormats
import Varlink

struct Import: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Import todos of another program, or an exported history.",
        discussion: """
            EXAMPLES:
              todoctl import history.jsonl
              todoctl import history.jsonl --dry-run
              todoctl import archive-1-5000.jsonl.zst
              todoctl import tasks.ics --dry-run
              todoctl import --format taskwarrior tasks.json
              todoctl import --format todotxt - < todo.txt

            Todos are imported, as one step, if --format is given or the file ends in .ics, .csv, .md, .txt or .json and is not a
            history. They are identified by their ids in the file, so importing it again changes only what differs.

            Of a history it first says whether that is fine, risky (this version folds it to another state, or its words were
            changed) or impossible, and why. The records keep their numbers, times, origins and keys. Commands that were open are
            held: todoctl commands release.
            """)

    @OptionGroup var options: Options

    @Argument(help: "The file; - for standard input.", completion: .file())
    var file: String

    @Option(
        help: ArgumentHelp("Import todos as taskwarrior, todotxt, ics, markdown, csv or json.", valueName: "format"),
        completion: .list(TodoFormat.allCases.map(\.rawValue)), transform: TodoFormat.named)
    var format: TodoFormat?

    @Flag(name: [.customShort("n"), .long], help: "Show the result without importing.")
    var dryRun = false

    @Flag(help: "Import even if it is risky.")
    var risky = false

    func validate() throws {
        if risky, format != nil { throw ValidationError("--risky applies to histories, but --format means todos.") }
    }

    func run() throws {
        guard format == nil, file == "-" || TodoFormat(fileName: file) == nil else { return try takeTodos() }
        try takeHistory()
    }

    private func takeTodos() throws {
        let bytes = try Self.content(of: file)
        // A history may have any name.
        guard self.format != nil || !Self.isHistory(bytes) else { return try takeHistory() }
        guard let format = self.format ?? TodoFormat(fileName: file, content: bytes) else { return }
        try options.session { session in
            var importer = TodoImporter(session, format, file: file)
            try importer.run(bytes, isDryRun: dryRun)
        }
    }

    private func takeHistory() throws {
        // Folding millions of records takes time, and each reply reports progress.
        try options.session { session in
            // A daemon that shares its log refuses every import, so ask before the upload.
            if try session.client.call(StatusMethod.self, NoFields()).cluster != nil {
                _ = try Import.ask(.init(upload: 0, dryRun: true), session)
            }
            let (upload, isHistory) = try Import.upload(file, session)
            let verdict = try Import.ask(.init(upload: upload, dryRun: true), session)
            let word = verdict.verdict ?? "impossible"
            if !session.isJSON || word == "impossible" { Import.say(word, verdict.reasons, session) }
            guard word != "impossible" else {
                guard verdict.damaged != false else { throw Failure(.refused, "Nothing was imported.") }
                let remedy =
                    isHistory
                    ? "Export the history again from its daemon."
                    : "If it contains todos, name their format: todoctl import --format markdown \(Visible.text(file))"
                throw Failure(.damaged, "Nothing was imported. \(remedy)")
            }
            guard !dryRun else { return }
            guard word == "fine" || risky else {
                throw Failure(.refused, "Nothing was imported. To import it anyway: --risky")
            }
            guard let taken = verdict.taken else { return }
            let done = try Import.ask(
                .init(upload: upload, risky: risky ? true : nil), session,
                ifLost: "todoctl import \(Visible.text(file)) --dry-run")
            guard !session.isJSON else { return }
            session.output.line(taken)
            guard let held = done.held, held > 0 else { return }
            session.output.line("Commands that are held now: \(held) (todoctl commands release).")
        }
    }

    private static func say(_ word: String, _ reasons: [String], _ session: Session) {
        let text = Visible.text(word.prefix(1).uppercased() + word.dropFirst()) + "."
        let style: Paint.Colour = word == "fine" ? .green : .red
        session.output.line(session.paint(text, style) + reasons.map { " " + Visible.text($0) }.joined())
    }

    private static func ask(
        _ input: ImportMethod.Input, _ session: Session, ifLost question: String? = nil
    ) throws(Failure) -> ImportMethod.Output {
        var last: ImportMethod.Output?
        var progress = Progress()
        try session.client.stream(ImportMethod.self, input, ifLost: question) { reply throws(Failure) in
            let answer = try reply.output()
            progress.show(record: answer.sequence, of: answer.last)
            if answer.verdict != nil, session.isJSON { session.output.json(reply.members) }
            last = answer
            return .more
        }
        progress.clear()
        guard let last, last.verdict != nil else { throw Failure.unexpected("The daemon gave no verdict.") }
        return last
    }

    private static let pieceBytesMax = 256 << 10

    /// The content of a file of todos, up to one byte more than its maximum size.
    private static func content(of file: String) throws(Failure) -> [UInt8] {
        let descriptor = file == "-" ? 0 : open(file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(file) }
        defer { if descriptor != 0 { close(descriptor) } }
        var content: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: pieceBytesMax)
        while content.count <= FormatLimits.fileBytesMax {
            let count = read(descriptor, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw failure(file) }
            if count == 0 { break }
            content += piece[..<count]
        }
        return content
    }

    /// Whether it begins like an export or an archive.
    private static func isHistory(_ bytes: [UInt8]) -> Bool {
        bytes.starts(with: Array(#"{"todod":"export""#.utf8)) || bytes.starts(with: [0x28, 0xB5, 0x2F, 0xFD])
    }

    /// Uploads a file, and returns its number at the daemon and whether it is a history.
    private static func upload(
        _ file: String, _ session: Session
    ) throws(Failure) -> (number: UInt64, isHistory: Bool) {
        let descriptor = file == "-" ? 0 : open(file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(file) }
        defer { if descriptor != 0 { close(descriptor) } }
        var upload: UInt64?
        var beginning: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: pieceBytesMax)
        while true {
            let count = read(descriptor, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw failure(file) }
            if upload == nil { beginning = Array(piece[..<count]) }
            let text = Base64.text(Array(piece[..<count]))
            upload = try session.client.call(UploadMethod.self, .init(upload: upload, base64: text)).upload
            if count == 0 { break }
        }
        guard let upload else { throw failure(file) }
        return (upload, isHistory(beginning))
    }

    private static func failure(_ file: String) -> Failure {
        Failure(.inputOutput, "\(Visible.text(file)): \(String(cString: strerror(errno))).")
    }
}

extension ImportMethod.Output {
    /// The imported records; `nil` for nothing.
    var taken: String? {
        let records = first.flatMap { $0 <= last ? "records \($0) to \(last)." : nil }
        guard let base else { return records.map { "Imported " + $0 } }
        let beginning = "Began with the state after record \(base)"
        return beginning + (records.map { "; imported " + $0 } ?? ".")
    }
}
