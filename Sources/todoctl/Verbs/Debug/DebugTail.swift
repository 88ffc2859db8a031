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
                if session.isJSON {
                    session.output.json(members)
                } else {
                    let record: DebugTailMethod.Output = try session.client.read(members)
                    let what = RecordLines.what(.object(members))
                    session.output.line("\(record.sequence)  \(session.moment(record.time).text)  " + session.paint(what, .bold))
                    for line in record.lines {
                        session.output.line("  " + session.paint(Visible.text(line), line.hasPrefix("-") ? .red : .green))
                    }
                    if record.lines.isEmpty { session.output.line("  changes nothing") }
                }
                session.output.flush()
                return .more
            }
        }
    }
}
