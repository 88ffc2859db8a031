public import Dates

public enum TodoFormat: String, CaseIterable, Sendable {
    case taskwarrior
    /// todo.txt: one todo per line.
    case todotxt
    case ics
    case markdown
    case csv
    /// A list of flat objects, with ISO dates.
    case json

    public enum Part: String, Sendable, CaseIterable {
        case note
        case tags
        case priority
        case due
        case wait
        case after
        case every
        case reminder
        case done
    }

    /// The format for a file name extension; for `.json` it depends on the content.
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

    /// The format by name or file name extension, such as `markdown` or `md`.
    public init?(named name: String) {
        let name = name.lowercased()
        guard let format = TodoFormat(rawValue: name) ?? (name.contains(".") ? nil : TodoFormat(fileName: "." + name)) else {
            return nil
        }
        self = format
    }

    /// The parts that the format supports; an import leaves other parts of a todo unchanged.
    public var parts: Set<Part> {
        switch self {
        case .csv, .json: Set(Part.allCases)
        case .taskwarrior: [.note, .tags, .priority, .due, .wait, .after, .every, .done]
        case .ics: [.note, .tags, .priority, .due, .wait, .every, .reminder, .done]
        case .todotxt: [.tags, .priority, .due, .wait, .every, .done]
        case .markdown: [.tags, .done]
        }
    }

    /// Whether files omit empty parts, so that a removed part can't be told from one that was never there.
    public var leavesOutNone: Bool { self != .csv && self != .json }

    /// Whether files contain ids, so that a todo is recognized after its title has changed.
    public var namesTodos: Bool { self != .todotxt && self != .markdown }

    /// The part that an attribute repeats in more detail, such as annotations of a note.
    public func part(ofAttribute name: String) -> Part? { self == .taskwarrior ? TaskwarriorFormat.parts[name] : nil }

    /// - Throws: the first line that can't be read, and why.
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

    /// The parts of some todos that the format can't express; only notes count for done todos.
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

    /// The todo as it would be after writing and reading; `nil` if it would be missing.
    public func seen(_ todo: ForeignTodo, at place: FormatPlace) -> ForeignTodo? {
        guard let reading = try? read(Array(write([todo], at: place).utf8), at: place) else { return nil }
        return reading.todos.first
    }
}

extension TodoFormat.Part {
    /// The names of our JSON members and CSV columns for the part.
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

    /// The parts that are unspecified in a file with only these members or columns.
    static func unsaid(in names: Set<String>) -> Set<TodoFormat.Part> {
        Set(allCases.filter { $0.names.isDisjoint(with: names) })
    }
}

/// The number of todos that a format can't express completely.
public struct FormatLoss: Sendable, Equatable {
    /// Todos with a recurrence rule that the format can't express.
    public var rules = 0
    /// Todos with a part that the format lacks, by part.
    public var parts: [TodoFormat.Part: Int] = [:]

    public init() {}
}

public struct FormatReading: Sendable, Equatable {
    public var todos: [ForeignTodo] = []
    /// Number of skipped tasks: deleted, cancelled or recurrence patterns.
    public var leftOut = 0

    /// Appends a todo; one that is too large is refused here, before more of the file is read.
    mutating func add(_ todo: ForeignTodo) throws(FormatError) {
        guard todos.count < FormatLimits.todosMax else {
            throw FormatError(line: todo.line, "there are more than \(FormatLimits.todosMax) todos")
        }
        try FormatLimits.check(todo)
        todos.append(todo)
    }
}

/// The zones for reading and writing files: due dates are local times, and files use UTC.
public struct FormatPlace: Sendable {
    public var zone: Zone
    public var named: @Sendable (String) -> Zone?

    public init(zone: Zone, named: @escaping @Sendable (String) -> Zone? = { _ in nil }) {
        self.zone = zone
        self.named = named
    }

    /// The minute of a time in seconds since 1970.
    func due(at seconds: Int64) -> Due { Due(minuteOf: zone.moment(at: seconds)) }

    /// The start of a due date in seconds since 1970.
    func seconds(of due: Due) -> Int64 { zone.instant(due.day, (due.minute ?? 0) * 60) }

    /// The day of a time in microseconds since 1970.
    func day(of microseconds: Int64) -> Day { zone.moment(at: FormatTime.seconds(microseconds)).day }
}
