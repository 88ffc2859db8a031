public import Dates

/// A form in which programs write todos down.
public enum TodoFormat: String, CaseIterable, Sendable {
    /// The JSON of `task export`.
    case taskwarrior
    /// A todo a line: todo.txt.
    case todotxt
    /// VTODO of iCalendar, RFC 5545.
    case ics
    /// Task lists of Markdown.
    case markdown
    /// A table with a header, RFC 4180.
    case csv
    /// A list of flat objects, with ISO dates.
    case json

    /// What of a todo a form can say beside its title.
    public enum Part: String, Sendable, CaseIterable {
        case note
        case tags
        case priority
        case due
        case wait
        case after
        /// By which rule it recurs, as far as the form has that rule.
        case every
        case reminder
        /// Whether it is done, and when it was.
        case done
    }

    /// The format that the name of a file ends in, if there is one; of `.json` that depends on what it holds.
    public init?(fileName name: String, content: [UInt8] = []) {
        let name = name.lowercased()
        guard let dot = name.lastIndex(of: ".") else { return nil }
        switch name[dot...] {
        case ".json": self = TaskwarriorFormat.isLikely(content) ? .taskwarrior : .json
        case ".txt": self = .todotxt
        case ".ics": self = .ics
        case ".md", ".markdown": self = .markdown
        case ".csv": self = .csv
        default: return nil
        }
    }

    /// The format that a person names: `markdown`, or `md` as its files end.
    public init?(named name: String) {
        let name = name.lowercased()
        guard let format = TodoFormat(rawValue: name) ?? (name.contains(".") ? nil : TodoFormat(fileName: "." + name)) else {
            return nil
        }
        self = format
    }

    /// What it can say; what it can't say of a todo, a file that does not say it leaves as it is.
    public var parts: Set<Part> {
        switch self {
        case .csv, .json: Set(Part.allCases)
        case .taskwarrior: [.note, .tags, .priority, .due, .wait, .after, .every, .done]
        case .ics: [.note, .tags, .priority, .due, .wait, .every, .reminder, .done]
        case .todotxt: [.tags, .priority, .due, .wait, .every, .done]
        case .markdown: [.tags, .done]
        }
    }

    /// Whether a file of it leaves out what there is none of, so that it does not tell what is gone from what never was there.
    public var leavesOutNone: Bool { self != .csv && self != .json }

    /// Whether a file of it names each todo, so that it is known again when its title is another one.
    public var namesTodos: Bool { self != .todotxt && self != .markdown }

    /// What an attribute is another saying of, where it is kept because it says more, such as annotations of a note.
    public func part(ofAttribute name: String) -> Part? { self == .taskwarrior ? TaskwarriorFormat.parts[name] : nil }

    /// Reads a file.
    ///
    /// - Throws: the line that can't be read, and why.
    public func read(_ bytes: [UInt8], at place: FormatPlace) throws(FormatError) -> FormatReading {
        guard bytes.count <= FormatLimits.fileBytesMax else {
            throw FormatError(line: 1, "the file has more than \(FormatLimits.fileBytesMax >> 20) MiB")
        }
        let content = SourceText.withoutMark(bytes)
        return switch self {
        case .taskwarrior: try TaskwarriorFormat.read(content, at: place)
        case .todotxt: try TodoTxtFormat.read(content, at: place)
        case .ics: try CalendarReader.read(content, at: place)
        case .markdown: try MarkdownFormat.read(content)
        case .csv: try CSVFormat.read(content, at: place)
        case .json: try JSONFormat.read(content, at: place)
        }
    }

    /// Writes a file.
    public func write(_ todos: [ForeignTodo], at place: FormatPlace) -> String {
        switch self {
        case .taskwarrior: TaskwarriorFormat.write(todos, at: place)
        case .todotxt: TodoTxtFormat.write(todos, at: place)
        case .ics: CalendarWriter.write(todos, at: place)
        case .markdown: MarkdownFormat.write(todos)
        case .csv: CSVFormat.write(todos)
        case .json: JSONFormat.write(todos)
        }
    }

    /// What a file would not say of some todos, of those that are done but of their notes.
    public func loss(of todos: [ForeignTodo]) -> FormatLoss {
        var loss = FormatLoss()
        let lost = Set(Part.allCases).subtracting(parts)
        for todo in todos {
            if !todo.isDone, todo.every != nil, !saysRule(of: todo) { loss.rules += 1 }
            for part in lost where part != .every && todo.has(part) && (!todo.isDone || part == .note) {
                loss.parts[part, default: 0] += 1
            }
        }
        return loss
    }

    private func saysRule(of todo: ForeignTodo) -> Bool {
        switch self {
        case .csv, .json: true
        case .taskwarrior: TaskwarriorFormat.recur(todo) != nil
        case .ics: todo.every?.rrule != nil
        case .todotxt: todo.every.flatMap(TodoTxtFormat.rec) != nil
        case .markdown: false
        }
    }

    /// What would come back of a todo that is written and read; `nil` where that is nothing.
    public func seen(_ todo: ForeignTodo, at place: FormatPlace) -> ForeignTodo? {
        guard let reading = try? read(Array(write([todo], at: place).utf8), at: place) else { return nil }
        return reading.todos.first
    }
}

extension TodoFormat.Part {
    /// The names of our own members and columns that say it.
    private var names: Set<String> {
        switch self {
        case .note: ["note"]
        case .tags: ["tags"]
        case .priority: ["priority"]
        case .due: ["due"]
        case .wait: ["wait"]
        case .after: ["after"]
        case .every: ["every"]
        case .reminder: ["remind", "remindBefore"]
        case .done: ["completed", "done"]
        }
    }

    /// What is not said where no more than these members or columns are.
    static func unsaid(in names: Set<String>) -> Set<TodoFormat.Part> {
        Set(allCases.filter { $0.names.isDisjoint(with: names) })
    }
}

/// How many todos a file would not say wholly.
public struct FormatLoss: Sendable, Equatable {
    /// Those that recur by a rule which it can't say.
    public var rules = 0
    /// Those with something, such as a note, where it can say none.
    public var parts: [TodoFormat.Part: Int] = [:]

    /// Nothing is lost.
    public init() {}
}

/// What a file of todos holds.
public struct FormatReading: Sendable, Equatable {
    /// The todos, in the order of the file.
    public var todos: [ForeignTodo] = []
    /// How many there are beside them that are none: deleted, cancelled, or the pattern of what recurs.
    public var leftOut = 0

    /// Takes one more; one that is too large is refused here, before more of the file is read.
    mutating func add(_ todo: ForeignTodo) throws(FormatError) {
        guard todos.count < FormatLimits.todosMax else {
            throw FormatError(line: todo.line, "there are more than \(FormatLimits.todosMax) todos")
        }
        try FormatLimits.check(todo)
        todos.append(todo)
    }
}

/// Where a file of todos is read or written: a todo is due on a calendar on the wall, and files count from Greenwich.
public struct FormatPlace: Sendable {
    /// The zone of the person.
    public var zone: Zone
    /// The zone of a name such as `Europe/Berlin`, if there is one.
    public var named: @Sendable (String) -> Zone?

    /// A person's place.
    public init(zone: Zone, named: @escaping @Sendable (String) -> Zone? = { _ in nil }) {
        self.zone = zone
        self.named = named
    }

    /// The minute of an instant, in seconds since 1970.
    func due(at seconds: Int64) -> Due { Due(minuteOf: zone.moment(at: seconds)) }

    /// When that begins, in seconds since 1970.
    func seconds(of due: Due) -> Int64 { zone.instant(due.day, (due.minute ?? 0) * 60) }

    /// The day of an instant, in microseconds since 1970.
    func day(of microseconds: Int64) -> Day { zone.moment(at: FormatTime.seconds(microseconds)).day }
}
