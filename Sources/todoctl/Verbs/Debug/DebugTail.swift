import ArgumentParser
import TodoAPI
import Varlink

struct DebugTail: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tail", abstract: "Follow the actions of the features that are debugged.",
        discussion: """
            EXAMPLES:
              todoctl debug tail
              todoctl debug tail --json

            Ends with Ctrl-C. - is what was, + is what is. Which features, todoctl debug on and off say, also meanwhile.
            """)

    @OptionGroup var options: Options

    func run() throws {
        try options.session { session in
            let frame = Frame.call(DebugTailMethod.self, NoFields(), more: true)
            try session.client.stream(frame, isLive: true) { members throws(Failure) in
                session.show(try session.client.read(members))
                session.output.flush()
                return .more
            }
        }
    }
}
