import Dates
import TestSupport
import TodoFormats

/// Todos that a format can represent completely, with values that are hard to encode.
struct RandomTodos {
    private var random: SeededGenerator
    private let format: TodoFormat

    init(_ format: TodoFormat, seed: UInt64) {
        self.format = format
        random = SeededGenerator(seed)
    }

    mutating func todos(_ count: Int) -> [ForeignTodo] { (0..<count).map { todo($0) } }

    private mutating func todo(_ index: Int) -> ForeignTodo {
        var todo = ForeignTodo(title: title())
        if format.namesTodos { todo.source = Self.name(index + 1) }
        if format.parts.contains(.tags) { todo.tags = tags() }
        let parts = format.parts
        if parts.contains(.note), Bool.random(using: &random) { todo.note = note() }
        if parts.contains(.priority) { todo.priority = Int.random(in: 0...3, using: &random) }
        if parts.contains(.due) { todo.due = due() }
        if parts.contains(.wait) { todo.wait = due() }
        if parts.contains(.after), index > 0, Bool.random(using: &random) {
            todo.after = [Self.name(Int.random(in: 1...index, using: &random))]
        }
        todo.isDone = Bool.random(using: &random)
        if parts.contains(.every), !todo.isDone { todo.every = rule(due: todo.due) }
        if parts.contains(.reminder) { todo.reminder = reminder(due: todo.due) }
        if format != .markdown { todo.created = time() }
        if todo.isDone, format != .markdown { todo.completed = time() }
        return todo
    }

    private static func name(_ id: Int) -> String { TodoIdentity.uuid(id: Int64(id), created: 1_700_000_000_000_000) }

    private mutating func title() -> String {
        let words = [
            "milk", "Bread", "Été", "e\u{301}", "🧑‍🧑‍🧒", "“so”", "a,b", "c;d", "\"q\"", "back\\slash", "{}", "日本語", "1.2", "x=y",
        ]
        // The first word must not be a marker of the format.
        return (["Buy"] + (0..<Int.random(in: 0...6, using: &random)).map { _ in words.randomElement(using: &random) ?? "" })
            .joined(separator: " ")
    }

    private mutating func note() -> String {
        let long = "日本語 " + String(repeating: "長", count: 60)
        let lines = ["one", "two, three; four", "a \"quote\" \\ and \\n", "Ende\tTab", long]
        return (0..<Int.random(in: 1...4, using: &random)).map { _ in lines.randomElement(using: &random) ?? "" }
            .map { format == .taskwarrior ? $0.replacing("\t", with: " ") : $0 }
            .joined(separator: "\n")
    }

    private mutating func tags() -> [String] {
        let names = ["work", "work.tax", "été", "project:Home.Garden", "a-b", "日本"]
        var tags = names.filter { _ in Int.random(in: 0..<4, using: &random) == 0 }
        if format == .taskwarrior, let project = tags.firstIndex(of: "project:Home.Garden") {
            tags.insert(tags.remove(at: project), at: 0)
        }
        return tags
    }

    /// A rule that the format can express.
    private mutating func rule(due: Due?) -> Recurrence? {
        let simple = ["every day", "every 3 days", "every week", "every 2 weeks", "every month", "every 5 months", "every year"]
        let texts: [String] =
            switch format {
            case .taskwarrior: due == nil ? [] : simple + ["every weekday"]
            case .todotxt: simple + ["3 days after done", "1 week after done", "2 months after done", "1 year after done"]
            case .ics: simple + Self.calendarRules
            case .csv, .json: simple + Self.calendarRules + ["3 days after done", "every month on the 31st"]
            case .markdown: []
            }
        guard Bool.random(using: &random), let text = texts.randomElement(using: &random) else { return nil }
        return try? Recurrence(text)
    }

    private static let calendarRules = [
        "every weekday", "every monday and sunday", "every 2 weeks on friday", "every month on the 1st",
        "every 2 months on the 30th", "every month on the 29th", "every last day of the month",
        "every third monday of the month", "every last friday of december", "every 24 december",
        "every 2 months on the 31st", "every last day of february", "every year on the 15th",
    ]

    private mutating func reminder(due: Due?) -> ForeignReminder? {
        guard Bool.random(using: &random) else { return nil }
        if due != nil, Bool.random(using: &random) {
            return .before(minutes: [0, 15, 60, 90, 1440, 1505, 10_080].randomElement(using: &random) ?? 0)
        }
        // A calendar can't express a reminder for a day without a time.
        guard let time = self.due(), format != .ics || time.minute != nil else { return nil }
        return .at(time)
    }

    private mutating func due() -> Due? {
        guard Bool.random(using: &random), let day = Day(year: 2026, month: 1, day: 1) else { return nil }
        // No midnight, which some formats take for a day, and no hour that daylight saving time skips or repeats.
        let minute = Bool.random(using: &random) ? Int.random(in: 240..<1440, using: &random) : nil
        return Due(day: day.adding(days: Int.random(in: 0..<700, using: &random)), minute: minute)
    }

    private mutating func time() -> Int64 {
        let day = Int64.random(in: 20_000..<20_900, using: &random) * 86_400
        let second = Int64.random(in: 0..<86_400, using: &random)
        switch format {
        // A whole day in the time zone of these tests.
        case .todotxt:
            guard let first = Day(year: 1970, month: 1, day: 1) else { return 0 }
            return Zone.berlin.instant(first.adding(days: Int(day / 86_400)), 0) * 1_000_000
        case .csv, .json: return (day + second) * 1_000_000 + Int64.random(in: 0..<1_000_000, using: &random)
        default: return (day + second) * 1_000_000
        }
    }
}

extension ForeignTodo {
    /// The same todo without its source and attributes.
    var bare: ForeignTodo {
        var todo = self
        todo.line = 0
        todo.attributes.removeAll { $0.name == "annotations" }
        todo.unsaid = []
        todo.expressed = []
        return todo
    }
}
