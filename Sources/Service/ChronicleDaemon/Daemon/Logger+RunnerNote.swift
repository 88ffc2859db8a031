import ChronicleLog
import CommandRunning
import Logging

extension Logger {
    func note(_ note: RunnerNote) {
        // The sequence of the record that requested the command.
        var metadata: Logger.Metadata = ["command": "\(note.name)", "id": "\(note.id)", "sequence": "\(note.id.sequence)"]
        if !note.reason.isEmpty { metadata["reason"] = "\(note.reason)" }
        switch note.event {
        case .retrying(let pause):
            metadata["after"] = "\(pause.components.seconds) s"
            notice("An attempt at a command failed", metadata: metadata)
        case .failed: warning("A command failed", metadata: metadata)
        case .parked: warning("A command waits for a person", metadata: metadata)
        case .late: info("A command brought something back after its end", metadata: metadata)
        case .waitingForRoom: warning("The end of a command waits until the log takes it", metadata: metadata)
        }
    }
}
