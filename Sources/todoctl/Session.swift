import Glibc
import Reducing
import TodoAPI
import Varlink

/// What every verb needs: the daemon, the output, and how to show things.
final class Session {
    let client: Client
    var output = Output()
    let isJSON: Bool
    let paint: Paint
    let zone: Zone
    let isTerminal: Bool

    /// `patience` is how long a lost connection is made again, in microseconds.
    init(_ options: Options, patience: Int64 = Client.patience) throws(Failure) {
        client = Client(socket: try SocketChoice.path(option: options.socket), patience: patience)
        isJSON = options.json
        isTerminal = isatty(1) == 1
        paint = Paint(isTerminal: isTerminal, environment: Environment.variable)
        zone = .user
    }

    /// The moment now, in the user's zone.
    var now: Moment { zone.moment(at: Clock.now() / 1_000_000) }

    /// A time of the log in the user's zone.
    func moment(_ microseconds: Int64) -> Moment { zone.moment(at: microseconds / 1_000_000) }

    /// Reads a date that a person wrote.
    func due(_ text: String) throws(Failure) -> Due {
        do {
            return try DueParser(now: Clock.now() / 1_000_000, zone: zone).due(text)
        } catch {
            throw Failure(.usage, error.message)
        }
    }

    /// Dispatches actions with a key, then says what was done: as JSON, or in the lines that `said` gives.
    func change(_ input: DispatchMethod.Input, _ said: (DispatchMethod.Output) -> [String]) throws(Failure) {
        var input = input
        if input.key == nil, input.dryRun != true { input.key = DispatchKey.make() }
        try tell(try client.call(Frame.call(DispatchMethod.self, input)), said)
    }

    /// Says what was done: as JSON, or in the lines that `said` gives, and then what there is to show.
    func tell(_ parameters: [JSON.Member], _ said: (DispatchMethod.Output) -> [String]) throws(Failure) {
        if isJSON { return output.json(parameters) }
        let answer: DispatchMethod.Output = try client.read(parameters)
        for line in said(answer) { output.line(line) }
        for presentation in answer.presentations { output.line(Session.text(of: presentation)) }
        // Only a person wants to know; a script that reads the output does not.
        if isTerminal, let step = answer.sequences.first { output.line("(todoctl undo \(step))") }
    }

    // A program can open an address; what else there is to show only a person can read.
    private static func text(of presentation: Value) -> String {
        if case .text(let url)? = presentation["arguments"]?["url"] { return Visible.text(url) }
        return Visible.text(presentation.json.description)
    }

    /// Dispatches actions with a key, over another connection if need be, and says nothing.
    func dispatch(_ actions: [Value], over other: Client? = nil) throws(Failure) -> DispatchMethod.Output {
        try (other ?? client).call(DispatchMethod.self, .init(actions: actions, key: DispatchKey.make()))
    }

    /// Dispatches actions with a key.
    func change(_ actions: [Value], _ said: (DispatchMethod.Output) -> [String]) throws(Failure) {
        try change(DispatchMethod.Input(actions: actions), said)
    }

    /// Reads a scope, or the elements of a list that are wanted of it, page by page.
    func pages(_ input: GetStateMethod.Input, _ take: (StatePage) throws(Failure) -> Demand) throws(Failure) {
        var isTold = false
        try client.stream(Frame.call(GetStateMethod.self, input, more: true)) { members throws(Failure) in
            guard let page = StatePage(members) else {
                throw Failure.unexpected("The daemon sent a state without a sequence.")
            }
            if !isTold { tellMoment(members) }
            isTold = true
            return try take(page)
        }
    }

    /// Finds one todo, or says that there is none, with the sequence at which it was so.
    func todo(_ id: Int64, at point: Point? = nil) throws(Failure) -> (todo: Todo, page: StatePage) {
        var found: (Todo, StatePage)?
        do throws(Failure) {
            try pages(.init(scope: "todos.items", at: point, id: id)) { page throws(Failure) in
                if let todo = page.todos.first.flatMap(Todo.init) { found = (todo, page) }
                return .more
            }
        } catch {
            guard error.error?.hasSuffix(".UnknownID") == true else { throw error }
            var failure = error
            failure.message =
                point == nil
                ? "There is no todo \(id). To see those that there are: todoctl list --all"
                : "There was no todo \(id) at that moment. To see those that there were: todoctl list --all --at POINT"
            throw failure
        }
        guard let found else { throw Failure.unexpected("The daemon sent no todo.") }
        return found
    }
}
