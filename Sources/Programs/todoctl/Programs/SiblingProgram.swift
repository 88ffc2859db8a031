import Glibc

/// A program that is installed next to this one.
enum SiblingProgram {
    /// The path next to this program, or the name alone for a search in PATH.
    static func path(_ name: String) -> String {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &path, path.count - 1)
        let own = String(decoding: path.prefix(max(0, count)).map(UInt8.init(bitPattern:)), as: UTF8.self)
        let beside = own.lastIndex(of: "/").map { "\(own[..<$0])/\(name)" } ?? ""
        return access(beside, X_OK) == 0 ? beside : name
    }

    /// Replaces this process (exec); returns only on failure.
    static func becoming(_ command: [String]) -> Failure {
        var arguments = command.map { strdup($0) } + [nil]
        defer { for text in arguments { free(text) } }
        execvp(command[0], &arguments)
        return notStarted(command[0], errno)
    }

    /// The failure for an error number of a start.
    static func notStarted(_ program: String, _ number: Int32) -> Failure {
        guard number == ENOENT else {
            return Failure(.unreachable, "\(Visible.text(program)) can't be run: \(String(cString: strerror(number))).")
        }
        return Failure(
            .unreachable,
            "There is no \(Visible.text(program)) beside todoctl, and none in PATH: install it, or add its directory to PATH.")
    }
}
