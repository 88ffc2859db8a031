import ArgumentParser
import Glibc
import Reducing
import TodoAPI

struct Export: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Write the history to a file: every record, with all that belongs to it.",
        discussion: """
            EXAMPLES:
              todoctl export history.jsonl
              todoctl export > history.jsonl
              todoctl export --from 1200 --to yesterday
              todoctl export --as-test 40..57 RecordedHistory40To57.swift

            Lines of JSON: the first says what the file holds, then comes a line for each record, then the end. todoctl import
            and todod --ephemeral --replay take it over.

            With --as-test it is a test in Swift instead, for the package of todod: it begins with the state before the first record, and
            fails when the reducers make something else of a record than they did.
            """)

    @OptionGroup var options: Options

    @Argument(help: "The file; - for standard output, as if left out.", completion: .file())
    var file: String?

    @Option(
        parsing: .unconditional, help: ArgumentHelp("The first record; the first there is, if left out.", valueName: "point"),
        completion: .moments)
    var from: String?

    @Option(
        parsing: .unconditional, help: ArgumentHelp("The last record; the last there is, if left out.", valueName: "point"),
        completion: .moments)
    var to: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Write a test in Swift of these records instead: two points with .. between.", valueName: "range"))
    var asTest: String?

    @Flag(help: "Write over a file that is there.")
    var force = false

    private var named: String? { file == "-" ? nil : file }

    func validate() throws {
        if asTest != nil, from != nil || to != nil {
            throw ValidationError("--as-test names the records; leave out --from and --to.")
        }
    }

    func run() throws {
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
            try target?.finish()
        }
    }
}

extension Export {
    private func write(_ test: RecordedTest, _ session: Session) throws(Failure) {
        guard let named else { return session.output.file(test.text) }
        let target = try NewFile(named, replaces: force)
        try target.append(test.text)
        try target.finish()
    }

    /// What happened in a range, with the state before it.
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
            throw Failure(.usage, "A test holds at most \(Digits.grouped(RecordedTest.recordsMax)) records; say a smaller range.")
        }
        let before = try session.whole(nil, at: Point(sequence: first - 1)).state
        var test = try RecordedTest(first: first, last: last, state: before)
        for (record, changes) in found { test.add(record, changes: changes) }
        return test
    }
}

/// A file that appears under its name when it is whole.
final class NewFile {
    private let path: String
    private let unfinished: String
    private let descriptor: Int32
    private let replaces: Bool
    private var isFinished = false

    /// - Parameter replaces: whether it may take the place of a file of its name.
    /// - Throws: where there is one, and it may not.
    init(_ path: String, replaces: Bool) throws(Failure) {
        (self.path, self.replaces) = (path, replaces)
        guard replaces || access(path, F_OK) != 0 else { throw Self.isThere(path) }
        // Others may be able to write there: the name is one that nobody can guess, and has to be free.
        unfinished = "\(path).\(UInt64.random(in: .min ... .max)).new"
        descriptor = open(unfinished, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.failure(path) }
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
            // Fails where a file has come meanwhile, and the name that nobody knows is taken away with this value.
            guard link(unfinished, path) == 0 else { throw errno == EEXIST ? Self.isThere(path) : Self.failure(path) }
        }
    }

    private static func isThere(_ path: String) -> Failure {
        Failure(.refused, "\(Visible.text(path)) is there already. To write over it: --force")
    }

    private static func failure(_ path: String) -> Failure {
        Failure(.inputOutput, "\(Visible.text(path)): \(String(cString: strerror(errno))).")
    }
}
