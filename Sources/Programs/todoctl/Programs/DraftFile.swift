import Glibc

/// A text that a person writes in an editor: a file that nobody else can read, in a directory of its own.
///
/// Removed at the end, with what the editor left beside it, unless it is to be kept.
final class DraftFile {
    /// Where the file is.
    let path: String
    /// Whether it stays.
    var isKept = false
    private let directory: String

    /// The largest text that is read back, in bytes; no text of a todo is as long.
    private static let bytesMax = 16 << 20

    /// Writes a text into a new file.
    ///
    /// - Throws: where there is no directory for temporary files that can be written.
    init(_ text: String, name: String, in parent: String? = Environment.variable("TMPDIR")) throws(Failure) {
        let parent = parent.flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
        var template = Array("\(parent)/todoctl-XXXXXX".utf8CString)
        // Made for its owner alone.
        guard let made = mkdtemp(&template) else { throw DraftFile.failure(parent) }
        directory = String(cString: made)
        path = "\(directory)/\(name)"
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw DraftFile.failure(path) }
        defer { close(descriptor) }
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = write(descriptor, Array(rest), rest.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw DraftFile.failure(path) }
            rest = rest.dropFirst(count)
        }
    }

    deinit { if !isKept { try? DirectoryTree.remove(directory) } }

    /// Has the person edit it: with $VISUAL, $EDITOR or vi.
    ///
    /// - Throws: when the editor can't be run, or says that it failed.
    func edit(_ variable: (String) -> String? = Environment.variable) throws(Failure) {
        let editor = ["VISUAL", "EDITOR"].compactMap(variable).first { !$0.allSatisfy(\.isWhitespace) } ?? "vi"
        // It may be a command with options, as other programs take it.
        let program = ExternalProgram(command: ["/bin/sh", "-c", editor + " \"$1\"", "sh", path])
        let end: ExternalProgram.End
        switch program.start(reading: 0) {
        case .success(let pid):
            // Ctrl-C is the editor's.
            signal(SIGINT, SIG_IGN)
            end = program.wait(for: pid)
            signal(SIGINT, SIG_DFL)
        case .failure(let failure): end = .notRun(String(cString: strerror(failure.number)))
        }
        if let why = end.failure { throw Failure(.refused, "Nothing was done. Of the editor “\(Visible.text(editor))”: \(why).") }
    }

    /// The text as it is now.
    ///
    /// - Throws: when it can't be read, or is no text.
    func text() throws(Failure) -> String {
        let bytes: [UInt8]
        do throws(SmallFile.Unreadable) { bytes = try SmallFile.bytes(of: path, about: Self.bytesMax) } catch {
            throw DraftFile.failure(path, error.number)
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Failure(.refused, "Nothing was done: what was written is no UTF-8.")
        }
        return text
    }

    private static func failure(_ path: String, _ number: Int32 = errno) -> Failure {
        Failure(.inputOutput, "\(Visible.text(path)): \(String(cString: strerror(number))).")
    }
}
