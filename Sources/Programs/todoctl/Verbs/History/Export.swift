import ArgumentParser
import Glibc
import TodoAPI

struct Export: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Write the history to a file: every record, with all that belongs to it.",
        discussion: """
            EXAMPLES:
              todoctl export history.jsonl
              todoctl export > history.jsonl
              todoctl export --from 1200 --to yesterday

            Lines of JSON: the first says what the file holds, then comes a line for each record, then the end. todoctl import
            and todod --ephemeral --replay take it over.
            """)

    @OptionGroup var options: Options

    @Argument(help: "The file; standard output, if left out.", completion: .file())
    var file: String?

    @Option(
        parsing: .unconditional, help: ArgumentHelp("The first record; the first there is, if left out.", valueName: "point"))
    var from: String?

    @Option(
        parsing: .unconditional, help: ArgumentHelp("The last record; the last there is, if left out.", valueName: "point"))
    var to: String?

    func run() throws {
        try options.session { session in
            let input = try ExportMethod.Input(
                from: session.point(from, edge: .beginning),
                to: session.point(to, edge: .end))
            let target = try file.map { path throws(Failure) in try NewFile(path) }
            try session.client.stream(ExportMethod.self, input) { answer throws(Failure) in
                let text = try answer.output().text
                if let target { try target.append(text) } else { session.output.file(text) }
                return .more
            }
            try target?.finish()
        }
    }
}

/// A file that appears under its name when it is whole.
final class NewFile {
    private let path: String
    private let unfinished: String
    private let descriptor: Int32
    private var isFinished = false

    init(_ path: String) throws(Failure) {
        self.path = path
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
        guard fsync(descriptor) == 0, rename(unfinished, path) == 0 else { throw Self.failure(path) }
        isFinished = true
    }

    private static func failure(_ path: String) -> Failure {
        Failure(.inputOutput, "\(Visible.text(path)): \(String(cString: strerror(errno))).")
    }
}
