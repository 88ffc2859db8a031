import ArgumentParser
import TodoAPI
import Varlink

struct Watch: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show the state, then every change as it happens.",
        discussion: """
            EXAMPLES:
              todoctl watch
              todoctl watch todos.items
              todoctl watch counter --json

            Ends with Ctrl-C. + is new, - is gone, ~ has other contents, > stands elsewhere.
            """)

    @OptionGroup var options: Options

    @Argument(help: "A feature or one field of its state: todos, todos.items. Left out: everything.")
    var scope: String?

    func run() throws {
        try options.session { session in
            var state: JSON?
            let frame = Frame.call(SubscribeMethod.self, .init(scope: scope.map(FeatureAction.scope)), more: true)
            try session.client.stream(frame, isLive: true) { members throws(Failure) in
                if session.isJSON {
                    session.output.json(members)
                } else {
                    if let page = members["state"] {
                        if state == nil { state = page } else { state?.append(page: page) }
                        if members["complete"]?.bool != false, let whole = state {
                            for line in Outline.lines(whole) { session.output.line(line) }
                            state = .none
                        }
                    }
                    let time = session.moment(members["time"]?.int ?? 0).text
                    for change in members["changes"]?.array ?? [] {
                        session.output.line("\(time)  \(ChangeLines.line(change, paint: session.paint))")
                    }
                }
                session.output.flush()
                return .more
            }
        }
    }
}
