import ArgumentParser
import Glibc
import TodoAPI

struct Backup: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Copy the log, as it is now, into a directory that the daemon can write.",
        discussion: """
            EXAMPLES:
              todoctl backup /var/lib/todod/backup-monday
              todod --verify --data /var/lib/todod/backup-monday
              todod --restore /var/lib/todod/backup-monday --data /var/lib/todod-new

            The daemon makes the directory, or takes one that is empty, and goes on meanwhile. A restored log holds its commands
            until todoctl commands release.
            """)

    @OptionGroup var options: Options

    @Argument(help: "The directory, on the daemon's machine.", completion: .directory)
    var directory: String

    func run() throws {
        let path = directory.hasPrefix("/") ? directory : try Backup.workingDirectory() + "/" + directory
        // The daemon answers when all is copied, however long that takes.
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
