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
              todoctl watch star swift

            Ends with Ctrl-C. + is new, - is gone, ~ has other contents, > stands elsewhere.
            """)

    @OptionGroup var options: Options

    @Argument(help: "A feature or one field of its state: todos, todos.items. Left out: everything.")
    var scope: String?

    @Argument(help: "Of star buttons: this one alone.")
    var id: String?

    func validate() throws {
        guard id == nil || isOfStars else { throw ValidationError("An id is for star buttons alone: todoctl watch star ID") }
    }

    private var isOfStars: Bool { ["stars", "stars.items"].contains(scope.map(FeatureAction.scope)) }

    func run() throws {
        try options.session { session in
            var state: JSON?
            let frame = Frame.call(SubscribeMethod.self, .init(scope: scope.map(FeatureAction.scope)), more: true)
            try session.client.stream(frame, isLive: true) { members throws(Failure) in
                if session.isJSON {
                    if concerns(members) { session.output.json(members) }
                } else {
                    if let page = members["state"] {
                        if state == nil { state = page } else { state?.append(page: page) }
                        if members["complete"]?.bool != false, let whole = state {
                            for line in lines(whole) { session.output.line(line) }
                            state = .none
                        }
                    }
                    let time = session.moment(members["time"]?.int ?? 0).text
                    for change in members["changes"]?.array ?? [] {
                        if let line = line(change, session.paint) { session.output.line("\(time)  \(line)") }
                    }
                }
                session.output.flush()
                return .more
            }
        }
    }

    private func lines(_ state: JSON) -> [String] {
        guard isOfStars else { return Outline.lines(state) }
        return StarLine.stars(state, only: id).map { StarLine.text($0.name, $0.value) }
    }

    private func line(_ change: JSON, _ paint: Paint) -> String? {
        guard isOfStars else { return ChangeLines.line(change, paint: paint) }
        return StarLine.star(change).flatMap { isMeant($0.name) ? StarLine.text($0.name, $0.value) : nil }
    }

    private func concerns(_ members: [JSON.Member]) -> Bool {
        guard id != nil, let changes = members["changes"]?.array else { return true }
        return changes.contains { change in StarLine.star(change).map { isMeant($0.name) } ?? false }
    }

    private func isMeant(_ star: String) -> Bool { id == nil || id == star }
}
