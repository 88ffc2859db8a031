import ArgumentParser
import TodoAPI

struct LockVerb: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "lock", abstract: "Refuse all changes until unlock.",
        discussion: """
            EXAMPLES:
              todoctl lock "moving to another machine"
              todoctl unlock

            Dispatches, undos and imports of everybody are refused with the reason, also after a restart. Reading, watching and looking at the
            past go on. Commands that run end, and others begin: todoctl commands hold is for these.
            """)

    @Argument(help: "Why, for whoever is refused.")
    var reason: String

    @OptionGroup var options: Options

    func validate() throws {
        guard 1...LockMethod.reasonBytesMax ~= reason.utf8.count else {
            throw ValidationError("Say why, in at most \(LockMethod.reasonBytesMax) bytes.")
        }
    }

    func run(_ session: Session) throws {
        try session.show(LockMethod.self, .init(on: true, reason: reason)) { _ in
            ["Locked: nothing can be changed.", "To unlock it, as an administrator: todoctl unlock"]
        }
    }
}

struct UnlockVerb: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "unlock", abstract: "Let changes go on.", examples: "todoctl unlock")

    @OptionGroup var options: Options

    func run(_ session: Session) throws {
        try session.show(LockMethod.self, .init(on: false)) { [$0.sequences.isEmpty ? "It was not locked." : "Unlocked."] }
    }
}
