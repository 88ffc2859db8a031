import ArgumentParser
import Chronicle
import TodoAPI

struct Replay: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Play the past, record by record.",
        discussion: """
            EXAMPLES:
              todoctl replay
              todoctl replay todos --from yesterday
              todoctl replay --from @-50 --speed 10
              todoctl replay counter --from release-1 --to release-2 --step
              todoctl replay todos --path 'todos.items[12]'

            On a terminal each state is shown, with a bar below: space pauses, the arrows step, + and - change the speed, c and C
            go to the next and the last change of the place of --path or of the shown state, g and G go to the ends, q quits.
            Without --to it continues with new records. Otherwise each record is a line, followed by its changes; --path selects
            records. Nothing is changed.
            """)

    @OptionGroup var options: Options

    @Argument(help: "A feature or one field of its state: todos, todos.items (default: everything).", completion: .features)
    var scope: String?

    @Option(
        parsing: .unconditional, help: ArgumentHelp("First point (default: start).", valueName: "point"),
        completion: .moments)
    var from: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Last point (default: now, followed by new records on a terminal).", valueName: "point"),
        completion: .moments)
    var to: String?

    @Option(
        parsing: .unconditional, help: ArgumentHelp("Records per second (default: 4).", valueName: "number"),
        transform: Numeral.speed)
    var speed: Double = 4

    @Option(help: ArgumentHelp("The place whose changes are shown.", valueName: "path"))
    var path: String?

    @Flag(help: "Wait for a key after each record.")
    var step = false

    func run() throws {
        let (scope, path) = (scope.map(FeatureAction.scope), path.map(FeatureAction.scope))
        try options.session { session in
            let first = try session.point(from, edge: .beginning) ?? .start
            let last = try session.point(to, edge: .end) ?? .now
            // A path that no state has is invalid as a scope or a place.
            for place in [scope, path].compactMap(\.self) {
                _ = try session.client.ask(DiffMethod.self, .init(from: last, to: last, path: place))
            }
            guard !session.isJSON else { return try print(first, last, scope, path, session) }
            let range = try range(first, last, session)
            if let screen = LiveScreen.open() {
                var player = ReplayPlayer(
                    session: session, screen: screen, scope: scope, path: path ?? scope,
                    playback: Playback(range, speed: speed, isPaused: step), isOpen: to == nil)
                return try player.play()
            }
            try print(first, last, scope, path, session)
        }
    }

    /// The sequences of two moments.
    private func range(_ first: Point, _ last: Point, _ session: Session) throws(Failure) -> ClosedRange<Int64> {
        // A minimal comparison, to resolve the points.
        let input = DiffMethod.Input(from: first, to: last, path: "counter.count")
        let answer = try session.client.call(DiffMethod.self, input)
        let (from, to) = (Int64(clamping: answer.from), Int64(clamping: answer.to))
        guard from <= to else { throw Failure(.usage, "invalid range: it begins at \(from) and ends before that, at \(to).") }
        return from...to
    }

    private static func changes(_ detail: LogDetailMessage?, _ scope: String?) -> Bool {
        guard let scope, scope.contains(".") else { return true }
        return (detail?.changes ?? []).contains { change in
            let field = (change.new ?? change.old)?.record?.first?.name ?? ""
            return change.path == scope || change.kind == .set && "\(change.path).\(field)" == scope
        }
    }

    private func print(
        _ first: Point, _ last: Point, _ scope: String?, _ path: String?, _ session: Session
    ) throws(Failure) {
        let feature = scope.map { String($0.prefix { $0 != "." }) }
        let input = LogMethod.Input(from: first, to: last, feature: feature, changes: true, path: path)
        let table = RecordLines(zone: session.zone, paint: session.paint)
        try session.client.stream(LogMethod.self, input) { answer throws(Failure) in
            try session.show(answer) { page in
                page.entries.filter { Replay.changes($0.detail, scope) }.flatMap { table.lines($0.record, $0.detail) }
            }
            return .more
        }
    }
}
