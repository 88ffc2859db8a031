import ArgumentParser
import TodoAPI

struct Head: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "head",
        abstract: "Print where the log ends, to hold the log against it later.",
        discussion: """
            EXAMPLES:
              todoctl head
              todoctl head --json
              todoctl verify --head "$(cat head-of-monday)"

            The number of the last record, a checksum of all history up to it, and one of the state. Keep it where the log is not: a log
            that lost its end, or was written anew, does not go on from there. The journal has one of each snapshot, hour and stop.
            """)

    @OptionGroup var options: Options

    func run(_ session: Session) throws {
        try session.show(HeadMethod.self, NoFields()) { [Visible.text($0.head)] }
    }
}
