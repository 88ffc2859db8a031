import Glibc

/// A text that the user edits: a private file in its own directory.
///
/// The directory is removed with all files of the editor, unless `isKept`.
final class DraftFile {
    let path: String
    var isKept = false
    private let directory: String

    /// Maximum size that is read back, larger than any todo.
    private static let bytesMax = 16 << 20

    /// Writes a text into a new file.
    ///
    /// - Throws: if no directory for temporary files is writable.
    init(_ text: String, name: String, in parent: String? = Environment.variable("TMPDIR")) throws(Failure) {
        let parent = parent.flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
        var template = Array("\(parent)/todoctl-XXXXXX".utf8CString)
        // mkdtemp creates it with mode 0700.
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

    /// Opens $VISUAL, $EDITOR or vi.
    ///
    /// - Throws: if the editor can't be run or fails.
    func edit(_ variable: (String) -> String? = Environment.variable) throws(Failure) {
        let editor = ["VISUAL", "EDITOR"].compactMap(variable).first { !$0.allSatisfy(\.isWhitespace) } ?? "vi"
        // The variable may contain options.
        let program = ExternalProgram(command: ["/bin/sh", "-c", editor + " \"$1\"", "sh", path])
        let end: ExternalProgram.End
        switch program.start(reading: 0) {
        case .success(let pid):
            // Ctrl-C belongs to the editor.
            signal(SIGINT, SIG_IGN)
            end = program.wait(for: pid)
            signal(SIGINT, SIG_DFL)
        case .failure(let failure): end = .notRun(String(cString: strerror(failure.number)))
        }
        if let why = end.failure {
            throw Failure(.refused, "Nothing was done. The editor “\(Visible.text(editor))” failed: \(why).")
        }
    }

    func text() throws(Failure) -> String {
        let bytes: [UInt8]
        do throws(SmallFile.Unreadable) { bytes = try SmallFile.bytes(of: path, about: Self.bytesMax) } catch {
            throw DraftFile.failure(path, error.number)
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Failure(.refused, "Nothing was done: the text is not UTF-8.")
        }
        return text
    }

    private static func failure(_ path: String, _ number: Int32 = errno) -> Failure {
        Failure(.inputOutput, "\(Visible.text(path)): \(String(cString: strerror(number))).")
    }
}
