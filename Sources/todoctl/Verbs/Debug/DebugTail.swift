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

            Ends with Ctrl-C. - is what was, + is what is. Which features, todoctl debug on and off say, also meanwhile. When the daemon
            restarts, no feature is debugged any more: that is said, and it goes on once one is again.
            """)

    @OptionGroup var options: Options

    func run() throws {
        try options.session(patience: Client.followingPatience) { session in
            // Asked for while the other connection streams.
            let asking = Client(socket: session.client.socket, patience: Client.followingPatience)
            let tellIfNone = { () throws(Failure) in
                // An older daemon does not say.
                guard try asking.call(StatusMethod.self, NoFields()).debugged?.isEmpty == true else { return }
                Output.complain("No feature is debugged now. To follow one: todoctl debug on FEATURE")
            }
            try tellIfNone()
            session.client.whenBack = tellIfNone
            defer { session.client.whenBack = nil }
            let frame = { Frame.call(DebugTailMethod.self, NoFields(), more: true) }
            try session.client.follow(frame, isLive: true) { members throws(Failure) in
                session.show(try session.client.read(members))
                session.output.flush()
                return .more
            }
        }
    }
}
