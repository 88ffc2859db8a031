import Chronicle
import Dates
import Glibc
import Terminal
import TodoAPI
import Varlink

/// The context of a verb: client, output and formatting.
final class Session {
    let client: Client
    var output = Output()
    let isJSON: Bool
    let paint: Paint
    let zone: Zone
    let isTerminal: Bool

    /// `patience` is how long a lost connection is retried, in microseconds.
    init(_ options: Options, _ search: SocketSearch, patience: Int64 = Client.patience) throws(Failure) {
        client = try Client(search, patience: patience)
        isJSON = options.json
        isTerminal = isatty(1) == 1
        var paint = Paint(isTerminal: isTerminal, environment: Environment.variable)
        paint.chosen = Settings.user.file.colours
        self.paint = paint
        zone = .user
    }

    var width: Int? { isTerminal ? Width.ofTerminal : nil }

    var now: Moment { zone.moment(at: Clock.now() / 1_000_000) }

    /// The user's day; `nil` if it is the day in UTC, which the daemon assumes and older ones require.
    var dayBesideUTC: Day? {
        let now = Clock.now() / 1_000_000
        let today = zone.moment(at: now).day
        return today == Zone { _ in 0 }.moment(at: now).day ? nil : today
    }

    func moment(_ microseconds: Int64) -> Moment { zone.moment(at: microseconds / 1_000_000) }

    var dates: DateReader {
        DateReader(now: Clock.now() / 1_000_000, zone: zone, direction: .future, weekBegin: Settings.user.weekBegin)
    }

    func due(_ text: String) throws(Failure) -> Due {
        do {
            return try dates.due(text)
        } catch {
            throw Failure(error)
        }
    }

    /// Parses a recurrence rule and the time of day after it.
    func recurrence(_ text: String) throws(Failure) -> (recurrence: Recurrence, minute: Int?) {
        do {
            return try Recurrence.reading(text)
        } catch {
            throw Failure(error)
        }
    }

    /// Parses a reminder: `friday 9:00`, or `1h before` the due date; a day without a time means 9:00.
    func reminder(_ text: String) throws(Failure) -> ReminderTime {
        do {
            return try ReminderTime(text, dates)
        } catch {
            throw Failure(error)
        }
    }

    /// Parses the fields in the words of a new todo that are not set by options; doubtful words are reported.
    ///
    /// - Throws: for a misspelt priority.
    func captured(_ words: [String], _ fields: TodoFields, line: Int? = nil) throws(Failure) -> QuickCapture {
        let (reader, takesRecurrence) = (fields.due == nil ? dates : nil, fields.every == nil)
        let captured = QuickCapture(
            words, reader: reader, takesPriority: fields.priority == nil, takesRecurrence: takesRecurrence)
        if fields.priority == nil { try captured.checkPriority() }
        if let doubt = captured.warning(reader, takesRecurrence: takesRecurrence) {
            Output.complain((line.map { "line \($0): " } ?? "") + doubt)
        }
        return captured
    }

    /// A reader for filters.
    ///
    /// - Parameter moment: when a todo is overdue; default: now.
    func filterReader(at moment: Moment? = nil) -> FilterReader {
        FilterReader(
            now: Clock.now() / 1_000_000, zone: zone, weekBegin: Settings.user.weekBegin, moment: moment ?? now)
    }

    /// Parses a filter.
    ///
    /// - Parameter moment: when a todo is overdue; default: now.
    func filter(_ words: [String], at moment: Moment? = nil) throws(Failure) -> Filter {
        var reader = filterReader(at: moment)
        if words.contains(where: { $0.contains("@") }) {
            reader.views = Dictionary(try savedViews().map { ($0.name, $0.filter) }) { first, _ in first }
        }
        return try reader.filter(words)
    }

    /// Dispatches actions with a key, then prints the result or the preview as JSON or in lines.
    func change(_ input: DispatchMethod.Input, _ said: (DispatchMethod.Output) -> [String]) throws(Failure) {
        var input = input
        if input.key == nil, input.dryRun != true { input.key = DispatchKey.make() }
        let answer = try client.ask(DispatchMethod.self, input)
        try tell(answer, canBeUndone: input.dryRun != true, said)
    }

    /// Prints a result as JSON or in lines, then its presentations.
    func tell<M: Method>(
        _ answer: Answer<M>, canBeUndone: Bool = true, _ said: (DispatchMethod.Output) -> [String]
    ) throws(Failure) where M.Output == DispatchMethod.Output {
        try show(answer) { answer in
            said(answer) + answer.presentations.map(Session.text) + heldNotice(answer.commandsHeld == true)
                + (canBeUndone ? undoHint(answer.sequences.first) : [])
        }
    }

    /// The notice that commands are held, and the remedy: as a line on a terminal, otherwise on standard error.
    func heldNotice(_ isHeld: Bool) -> [String] {
        guard isHeld, !isJSON else { return [] }
        if isTerminal { return [CommandNotice.held] }
        Output.complain(CommandNotice.held)
        return []
    }

    /// How to undo the step; only on a terminal.
    func undoHint(_ step: UInt64?) -> [String] {
        guard isTerminal, !isJSON, let step else { return [] }
        return ["(todoctl undo \(step))"]
    }

    // Programs can open an address; other presentations are text for people.
    private static func text(_ presentation: Value) -> String {
        if let url = presentation["arguments"]?["url"]?.text { return Visible.text(url) }
        return Visible.text(presentation.description)
    }

    /// Dispatches actions with a key, optionally over another connection, and prints nothing.
    func dispatch(_ actions: [Value], over other: Client? = nil) throws(Failure) -> DispatchMethod.Output {
        try (other ?? client).call(DispatchMethod.self, .init(actions: actions, key: DispatchKey.make()))
    }

    func change(_ actions: [Value], _ said: (DispatchMethod.Output) -> [String]) throws(Failure) {
        try change(DispatchMethod.Input(actions: actions), said)
    }
}
