import ArgumentParser
import Chronicle
import Glibc
import TodoAPI
import TodoFormats

struct Export: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write the history, or todos for another program, to a file.",
        discussion: """
            EXAMPLES:
              todoctl export history.jsonl
              todoctl export > history.jsonl
              todoctl export --from 1200 --to yesterday
              todoctl export --as-test 40..57 RecordedHistory40To57.swift
              todoctl export --format todotxt
              todoctl export tasks.ics
              todoctl export ics +work is:open work.ics
              todoctl export ics --follow tasks.ics

            Todos are written if a format is given with --format or as the first word, or if the file ends in .ics, .csv, .md,
            .txt or .json. Completed ones are included unless a filter excludes them. Formats: taskwarrior, todotxt (txt), ics,
            markdown (md), csv and json. The last word is a file if it is -, contains a / or has the extension of the format; a
            file named like a format is ./ics. Imported todos keep the ids and unknown properties of their file. Warnings count
            todos with properties that the format can't express. --follow replaces the file at the start and after each change,
            until Ctrl-C; permissions stay, and symbolic links are followed. Changes of a relative or saved filter take effect
            within a minute.

            Otherwise the history is written as JSON lines: a header, the records, an end.

            --as-test writes a test in Swift for the package of todod instead. It begins with the state before the first record,
            and fails if the reducers behave differently.
            """)

    @OptionGroup var options: Options

    @Argument(
        help: ArgumentHelp("The file (default: -, standard output), after the filter of todos.", valueName: "file"),
        completion: .file())
    var words: [String] = []

    @Option(
        help: ArgumentHelp("Write todos as taskwarrior, todotxt, ics, markdown, csv or json.", valueName: "format"),
        completion: .list(TodoFormat.allCases.map(\.rawValue)), transform: TodoFormat.named)
    var format: TodoFormat?

    @Option(help: ArgumentHelp("Keep a file of todos up to date.", valueName: "file"), completion: .file())
    var follow: String?

    @Option(
        parsing: .unconditional, help: ArgumentHelp("First record (default: the first of the log).", valueName: "point"),
        completion: .moments)
    var from: String?

    @Option(
        parsing: .unconditional, help: ArgumentHelp("Last record (default: the last of the log).", valueName: "point"),
        completion: .moments)
    var to: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Write a Swift test of these records: two points with .. between.", valueName: "range"))
    var asTest: String?

    @Flag(help: "Overwrite an existing file.")
    var force = false

    private var named: String? { words.first == "-" ? nil : words.first }

    /// The format from its option, the first word or the extension (`nil`: the history), and the other words.
    private var chosen: (format: TodoFormat?, words: [String]) {
        if let format { return (format, words) }
        if let first = words.first.flatMap(TodoFormat.init(named:)) { return (first, Array(words.dropFirst())) }
        return (words.last.flatMap { TodoFormat(fileName: $0) }, words)
    }

    func validate() throws {
        if follow == "-" {
            throw ValidationError(
                "--follow needs a file, not standard output. To write to standard output once: todoctl export "
                    + "\(chosen.format?.rawValue ?? "ics") -")
        }
        guard chosen.format == nil, follow == nil else {
            guard from == nil, to == nil, asTest == nil else {
                throw ValidationError(
                    "--from, --to and --as-test apply to the history only: omit the format and --follow, or choose another file "
                        + "name, such as ./ics or history.jsonl.")
            }
            if let format = chosen.format, let name = chosen.words.last, !TodoExport.isFile(name, format),
                let other = TodoFormat(fileName: name), name.allSatisfy({ $0.isLetter || $0.isNumber || "._-".contains($0) })
            {
                throw ValidationError(
                    "the name \(name) means \(other.rawValue), but the format is \(format.rawValue): use --format \(other.rawValue), or "
                        + "./\(name). To filter by this word: text:\(name)")
            }
            return
        }
        if words.count > 1 { throw ValidationError("expected one file. For todos with a filter: --format FORMAT.") }
        if asTest != nil, from != nil || to != nil {
            throw ValidationError("--as-test names the records; omit --from and --to.")
        }
    }

    func run() throws {
        if let follow { return try keep(follow) }
        let (format, filter) = chosen
        if let format { return try writeTodos(format, filter) }
        if let named, !named.contains("/"), !named.contains("."),
            let question = Spelling.question(about: named, among: TodoFormat.allCases.map(\.rawValue))
        {
            let word = Visible.text(named)
            throw Failure(.usage, "There is no format \(word); \(question) A file of that name is ./\(word)")
        }
        try options.session { session in
            if let asTest { return try write(try Export.test(of: asTest, session), session) }
            let input = try ExportMethod.Input(
                from: session.point(from, edge: .beginning),
                to: session.point(to, edge: .end), base: from == nil ? session.baseForExport() : nil)
            let target = try named.map { path throws(Failure) in try NewFile(path, replaces: force) }
            try session.client.stream(ExportMethod.self, input) { answer throws(Failure) in
                let text = try answer.output().text
                if let target { try target.append(text) } else { session.output.file(text) }
                return .more
            }
            guard let target, let named else { return }
            try target.finish()
            if !session.isJSON { session.output.line("Wrote the history to \(Visible.text(named)).") }
        }
    }
}

extension Export {
    private func writeTodos(_ format: TodoFormat, _ words: [String]) throws {
        var filter = words
        let path = filter.last.flatMap { $0 == "-" || TodoExport.isFile($0, format) ? $0 : nil }
        if path != nil { filter.removeLast() }
        try options.session { session in
            let export = TodoExport(format: format, words: filter)
            // An existing file is refused before the daemon is called.
            let target = try path == "-" ? nil : path.map { path throws(Failure) in try NewFile(path, replaces: force) }
            let made = try export.make(session)
            made.losses.forEach(Output.complain)
            guard let path, let target else {
                guard session.isTerminal else { return session.output.file(made.text) }
                return session.show(made.text.split(whereSeparator: \.isNewline).map { Visible.text(String($0)) })
            }
            try target.append(made.text)
            try target.finish()
            let fields: [Value.Field] = [.init("todos", .int(Int64(made.count))), .init("file", .text(path))]
            guard !session.isJSON else { return session.output.json(fields) }
            session.output.line("Wrote \(Digits.counted(made.count, "todo")) to \(Visible.text(path)).")
        }
    }

    private func keep(_ path: String) throws {
        let (said, filter) = chosen
        guard let format = said ?? TodoFormat(fileName: path) else {
            throw Failure(.usage, "Missing format. For example: todoctl export ics --follow \(Visible.text(path))")
        }
        try options.session(patience: Client.followingPatience) { session in
            // Changes arrive on one connection, and todos are read over the other.
            let reader = try Session(options, SocketSearch(option: options.socket), patience: Client.followingPatience)
            let export = TodoExport(format: format, words: filter)
            try TodoExportFollower(session: session, reader: reader, export: export, path: path).run()
        }
    }

    private func write(_ test: RecordedTest, _ session: Session) throws(Failure) {
        guard let named else { return session.output.file(test.text) }
        let target = try NewFile(named, replaces: force)
        try target.append(test.text)
        try target.finish()
        if !session.isJSON { session.output.line("Wrote the test to \(Visible.text(named)).") }
    }

    /// The records of a range, and the state before them.
    private static func test(of range: String, _ session: Session) throws(Failure) -> RecordedTest {
        let words = try RangeWords(range)
        let from: Point = try session.point(words.first, edge: .beginning)
        let to: Point = try session.point(words.last, edge: .end)
        let limit = UInt64(RecordedTest.recordsMax + 1)
        var found: [(record: RecordMessage, changes: [Change]?)] = []
        for answer in try session.research(LogMethod.self, .init(from: from, to: to, limit: limit, changes: true)) {
            let page = try answer.output()
            for (record, detail) in zip(page.records, page.details ?? []) { found.append((record, detail.changes)) }
        }
        guard let first = found.first?.record.sequence, let last = found.last?.record.sequence else {
            throw Failure(.refused, "There are no records in \(Visible.text(range)).")
        }
        guard found.count <= RecordedTest.recordsMax else {
            throw Failure(.usage, "A test holds at most \(Digits.grouped(RecordedTest.recordsMax)) records; use a smaller range.")
        }
        let before = try session.whole(nil, at: Point(sequence: first - 1)).state
        var test = try RecordedTest(first: first, last: last, state: before)
        for (record, changes) in found { test.add(record, changes: changes) }
        return test
    }
}

/// A file that gets its name once it is complete.
final class NewFile {
    private let path: String
    private let unfinished: String
    private let descriptor: Int32
    private let replaces: Bool
    private var isFinished = false

    /// - Parameter replaces: whether an existing file may be replaced.
    /// - Throws: if the file exists and may not be replaced.
    init(_ path: String, replaces: Bool) throws(Failure) {
        (self.path, self.replaces) = (path, replaces)
        guard replaces || access(path, F_OK) != 0 else { throw Self.isThere(path) }
        // Others may be able to write to the directory, so the name must be unguessable and unused.
        unfinished = "\(path).\(UInt64.random(in: .min ... .max)).new"
        descriptor = open(unfinished, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.failure(path) }
        var former = stat()
        // Keeps the permissions of the replaced file.
        if replaces, lstat(path, &former) == 0, former.st_mode & S_IFMT == S_IFREG { fchmod(descriptor, former.st_mode & 0o777) }
    }

    deinit {
        close(descriptor)
        if !isFinished { unlink(unfinished) }
    }

    func append(_ text: String) throws(Failure) {
        let bytes = Array(text.utf8)
        var written = 0
        while written < bytes.count {
            let rest = Array(bytes[written...])
            let count = write(descriptor, rest, rest.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Self.failure(path) }
            written += count
        }
    }

    func finish() throws(Failure) {
        guard fsync(descriptor) == 0 else { throw Self.failure(path) }
        if replaces {
            guard rename(unfinished, path) == 0 else { throw Self.failure(path) }
            isFinished = true
        } else {
            // Fails if another file was created in the meantime; `deinit` removes the unfinished file.
            guard link(unfinished, path) == 0 else { throw errno == EEXIST ? Self.isThere(path) : Self.failure(path) }
        }
    }

    private static func isThere(_ path: String) -> Failure {
        Failure(.refused, "\(Visible.text(path)) exists already. To overwrite it: --force")
    }

    static func failure(_ path: String) -> Failure {
        Failure(.inputOutput, "\(Visible.text(path)): \(String(cString: strerror(errno))).")
    }
}

struct Backup: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Copy the log into a directory that the daemon can write to.",
        discussion: """
            EXAMPLES:
              todoctl backup /var/lib/todod/backup-monday
              todod --verify --data /var/lib/todod/backup-monday
              todod --restore /var/lib/todod/backup-monday --data /var/lib/todod-new

            The directory must be empty or not exist. The daemon keeps serving. A restored log holds its commands until todoctl
            commands release.
            """)

    @OptionGroup var options: Options

    @Argument(help: "The directory, on the daemon's machine.", completion: .directory)
    var directory: String

    func run() throws {
        let path = directory.hasPrefix("/") ? directory : try Backup.workingDirectory() + "/" + directory
        // The daemon answers when everything is copied, however long that takes.
        try options.session { session in
            try session.show(BackupMethod.self, .init(directory: path)) { answer in
                ["Copied records up to \(answer.sequence) to \(Visible.text(path))."]
            }
        }
    }

    private static func workingDirectory() throws(Failure) -> String {
        guard let path = getcwd(nil, 0) else { throw Failure(.inputOutput, "The working directory is gone.") }
        defer { free(path) }
        return String(cString: path)
    }
}
