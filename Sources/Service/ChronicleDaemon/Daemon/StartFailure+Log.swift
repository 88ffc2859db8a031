import ChronicleLog
import ChronicleStore
import CommandRunning
import DiskLog
import Logging
import TodoAPI

extension StartFailure {
    init(_ error: ActionLogError, directory: String, of program: Program) {
        switch error {
        case .damaged, .undecodable, .newerFormat:
            self.init(.damagedData, "\(error). \(Self.remedy(of: error, directory, program))")
        case .locked(0): self.init(.tryAgain, "\(error). Stop that process, or choose another --data.".capitalizedFirst)
        case .locked(let pid):
            self.init(
                .tryAgain, "\(directory) is in use by process \(pid), another \(program.name). Stop it, or choose another --data."
            )
        case .noLog(let directory): self.init(.configuration, "There is no log in \(directory).")
        case .notPermitted: self.init(.notPermitted, "\(error).")
        // Only another configuration or another log helps.
        case .contradiction(let what): self.init(.configuration, "\(what.capitalizedFirst).")
        case .networkFileSystem, .mapTooSmall, .keyLength: self.init(.configuration, "\(error).")
        case .unavailable, .inDoubt, .othersFirst, .flushTooLarge: self.init(.tryAgain, "\(error).")
        case .storageFull, .unknownOutcome, .pruned, .readersFull, .io: self.init(.inputOutput, "\(error).")
        }
    }

    private static func remedy(of error: ActionLogError, _ directory: String, _ program: Program) -> String {
        if (try? LMDBActionLog.openReadOnly(directory: directory)) != nil {
            return "To read what is before it: \(program.name) --inspect --data \(directory)"
        }
        if case .newerFormat = error { return "Start the version that wrote it." }
        return "To continue with a backup: \(program.name) --restore BACKUP --data NEW"
    }

    init(_ error: StoreError, of program: Program) {
        switch error {
        case .damaged(let sequence, let what):
            self.init(
                .damagedData,
                "The log is damaged at record \(sequence): \(what). To read what is before it: \(program.name) --inspect")
        case .undecodable(let sequence, let what):
            self.init(
                .damagedData,
                "Record \(sequence) is intact, but \(program.name) \(program.version) can't read it: \(what). "
                    + "Start the version that wrote it. To read what is before it: \(program.name) --inspect")
        default: self.init(.inputOutput, "The log can't be read. \(APIError(error).message)")
        }
    }
}

extension Logger {
    func note(_ note: RunnerNote) {
        var metadata: Logger.Metadata = ["command": "\(note.name)", "id": "\(note.id)", "sequence": "\(note.id.sequence)"]
        if !note.reason.isEmpty { metadata["reason"] = "\(note.reason)" }
        switch note.event {
        case .retrying(let pause):
            metadata["after"] = "\(pause.components.seconds) s"
            notice("An attempt at a command failed", metadata: metadata)
        case .failed: warning("A command failed", metadata: metadata)
        case .parked: warning("A command waits for a person", metadata: metadata)
        case .late: info("A command returned something after its end", metadata: metadata)
        case .waitingForRoom: warning("The end of a command waits until the log accepts it", metadata: metadata)
        }
    }
}

extension String {
    var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
