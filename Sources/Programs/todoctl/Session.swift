import Chronicle
import Dates
import Glibc
import Terminal
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
    init(_ options: Options, _ search: SocketSearch, patience: Int64 = Client.patience) throws(Failure) {
        client = try Client(search, patience: patience)
        isJSON = options.json
        isTerminal = isatty(1) == 1
        var paint = Paint(isTerminal: isTerminal, environment: Environment.variable)
        paint.chosen = Settings.user.file.colours
        self.paint = paint
        zone = .user
    }

    /// How many columns there are; `nil` where nobody looks at a terminal.
    var width: Int? { isTerminal ? Width.ofTerminal : nil }

    /// The moment now, in the user's zone.
    var now: Moment { zone.moment(at: Clock.now() / 1_000_000) }

    /// The day where the user is; `nil` where it is that in UTC, which a daemon takes it for, and one of before knows no other.
    var dayBesideUTC: Day? {
        let now = Clock.now() / 1_000_000
        let today = zone.moment(at: now).day
        return today == Zone { _ in 0 }.moment(at: now).day ? nil : today
    }

    /// A time of the log in the user's zone.
    func moment(_ microseconds: Int64) -> Moment { zone.moment(at: microseconds / 1_000_000) }

    /// What reads the dates to come that a person writes.
    var dates: DateReader {
        DateReader(now: Clock.now() / 1_000_000, zone: zone, direction: .future, weekBegin: Settings.user.weekBegin)
    }

    /// Reads a date that a person wrote.
    func due(_ text: String) throws(Failure) -> Due {
        do {
            return try dates.due(text)
        } catch {
            throw Failure(error)
        }
    }

    /// Reads by which rule a person wants something to recur, and the minute of the day that stands behind it.
    func recurrence(_ text: String) throws(Failure) -> (recurrence: Recurrence, minute: Int?) {
        do {
            return try Recurrence.reading(text)
        } catch {
            throw Failure(error)
        }
    }

    /// Reads when a person wants to be reminded: `friday 9:00`, or `1h before` it is due; of a day without a time at 9:00.
    func reminder(_ text: String) throws(Failure) -> ReminderTime {
        do {
            return try ReminderTime(text, dates)
        } catch {
            throw Failure(error)
        }
    }

    /// What the words of a new todo say beside its title, but for what its options say; what looks like that and is not is told.
    ///
    /// - Throws: for what looks like a misspelt priority.
    func captured(_ words: [String], _ fields: TodoFields, line: Int? = nil) throws(Failure) -> QuickCapture {
        let (reader, takesRecurrence) = (fields.due == nil ? dates : nil, fields.every == nil)
        let captured = QuickCapture(
            words, reader: reader, takesPriority: fields.priority == nil, takesRecurrence: takesRecurrence)
        if fields.priority == nil { try captured.checkPriority() }
        if let doubt = captured.doubt(reader, takesRecurrence: takesRecurrence) {
            Output.complain((line.map { "line \($0): " } ?? "") + doubt)
        }
        return captured
    }

    /// What reads filters.
    ///
    /// - Parameter moment: when what is overdue is so; left out: now.
    func filterReader(at moment: Moment? = nil) -> FilterReader {
        FilterReader(
            now: Clock.now() / 1_000_000, zone: zone, weekBegin: Settings.user.weekBegin, moment: moment ?? now)
    }

    /// Reads which todos a person means.
    ///
    /// - Parameter moment: when what is overdue is so; left out: now.
    func filter(_ words: [String], at moment: Moment? = nil) throws(Failure) -> Filter {
        var reader = filterReader(at: moment)
        if words.contains(where: { $0.contains("@") }) {
            reader.views = Dictionary(try savedViews().map { ($0.name, $0.filter) }) { first, _ in first }
        }
        return try reader.filter(words)
    }

    /// Dispatches actions with a key, then says what was done, or what would be: as JSON, or in the lines that `said` gives.
    func change(_ input: DispatchMethod.Input, _ said: (DispatchMethod.Output) -> [String]) throws(Failure) {
        var input = input
        if input.key == nil, input.dryRun != true { input.key = DispatchKey.make() }
        let answer = try client.ask(DispatchMethod.self, input)
        try tell(answer, canBeUndone: input.dryRun != true, said)
    }

    /// Says what was done: as JSON, or in the lines that `said` gives, and then what there is to show.
    func tell<M: Method>(
        _ answer: Answer<M>, canBeUndone: Bool = true, _ said: (DispatchMethod.Output) -> [String]
    ) throws(Failure) where M.Output == DispatchMethod.Output {
        try show(answer) { answer in
            said(answer) + answer.presentations.map(Session.text) + heldNotice(answer.commandsHeld == true)
                + (canBeUndone ? undoHint(answer.sequences.first) : [])
        }
    }

    /// That what was asked for is held, and how it goes on, as a line where a person looks; told on standard error where a program reads
    /// what is written.
    func heldNotice(_ isHeld: Bool) -> [String] {
        guard isHeld, !isJSON else { return [] }
        if isTerminal { return [CommandNotice.held] }
        Output.complain(CommandNotice.held)
        return []
    }

    /// How a step is taken back; only a person wants to know, a script that reads the output does not.
    func undoHint(_ step: UInt64?) -> [String] {
        guard isTerminal, !isJSON, let step else { return [] }
        return ["(todoctl undo \(step))"]
    }

    // A program can open an address; what else there is to show only a person can read.
    private static func text(_ presentation: Value) -> String {
        if let url = presentation["arguments"]?["url"]?.text { return Visible.text(url) }
        return Visible.text(presentation.description)
    }

    /// Dispatches actions with a key, over another connection if need be, and says nothing.
    func dispatch(_ actions: [Value], over other: Client? = nil) throws(Failure) -> DispatchMethod.Output {
        try (other ?? client).call(DispatchMethod.self, .init(actions: actions, key: DispatchKey.make()))
    }

    /// Dispatches actions with a key.
    func change(_ actions: [Value], _ said: (DispatchMethod.Output) -> [String]) throws(Failure) {
        try change(DispatchMethod.Input(actions: actions), said)
    }
}
