import ArgumentParser
import TodoAPI

struct LockVerb: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "lock", abstract: "Refuse all changes until todoctl unlock.",
        discussion: """
            EXAMPLES:
              todoctl lock "moving to another machine"
              todoctl unlock

            Dispatches, undos and imports of all users are refused with the reason, across restarts. Reads continue, and so do
            commands: to stop these, use todoctl commands hold.
            """)

    @Argument(help: "The reason, shown to refused clients.")
    var reason: String

    @OptionGroup var options: Options

    func validate() throws {
        guard 1...LockMethod.reasonBytesMax ~= reason.utf8.count else {
            throw ValidationError("The reason must have 1 to \(LockMethod.reasonBytesMax) bytes.")
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
        commandName: "unlock", abstract: "Allow changes again.", examples: "todoctl unlock")

    @OptionGroup var options: Options

    func run(_ session: Session) throws {
        try session.show(LockMethod.self, .init(on: false)) { [$0.sequences.isEmpty ? "It was not locked." : "Unlocked."] }
    }
}
