import Dates
import Terminal

/// The urgency of todos: a sum of named parts, so that the order can be explained.
///
/// All points are integers in hundredths, so that the result is the same on every machine.
struct Urgency {
    enum Part: String, CaseIterable {
        case overdue
        case soon = "due soon"
        case priority
        case next = "tag next"
        case blocker = "blocks others"
        case blocked
        case age

        /// The name in the settings file.
        var key: String { String(describing: self) }

        var weight: Int {
            switch self {
            case .overdue: 1_200
            case .soon: 1_000
            case .priority: 600
            case .next: 1_500
            case .blocker: 800
            case .blocked: -500
            case .age: 200
            }
        }
    }

    /// Days before the due date when the urgency starts to rise.
    static let soonDaysMax = 7
    /// Days after which age no longer adds urgency.
    static let ageDaysMax = 365

    var now: Moment
    /// The zone for counting days of age.
    var zone: Zone
    var blocking: Blocking
    /// The user's weights, in hundredths.
    var weights: [Part: Int] = [:]

    func weight(of part: Part) -> Int { weights[part] ?? part.weight }

    /// The sum, in hundredths; 0 for a done todo.
    func points(of todo: Todo) -> Int { Part.allCases.reduce(0) { $0 + points(of: todo, for: $1) } }

    /// The points of a part, in hundredths, rounded down.
    func points(of todo: Todo, for part: Part) -> Int {
        guard !todo.isDone else { return 0 }
        let share = share(of: todo, for: part)
        return weight(of: part) * share.counted / share.full
    }

    /// The fraction of the weight that applies.
    private func share(of todo: Todo, for part: Part) -> (counted: Int, full: Int) {
        switch part {
        case .overdue: return (todo.due?.isOver(at: now) == true ? 1 : 0, 1)
        case .soon:
            let full = Self.soonDaysMax + 1
            guard let due = todo.due, !due.isOver(at: now) else { return (0, full) }
            return (max(full - (due.day.number - now.day.number), 0), full)
        case .priority: return (min(max(todo.priority, 0), 3), 3)
        case .next: return (Tags.contain("next", in: todo.tags) ? 1 : 0, 1)
        case .blocker: return (blocking.isBlocker(todo) ? 1 : 0, 1)
        case .blocked: return (blocking.blockers(of: todo).isEmpty ? 0 : 1, 1)
        case .age: return (min(days(of: todo), Self.ageDaysMax), Self.ageDaysMax)
        }
    }

    private func days(of todo: Todo) -> Int {
        todo.created.map { max(now.day.number - zone.moment(at: $0 / 1_000_000).day.number, 0) } ?? 0
    }

    /// One line per part with its points, weight and reason, and one for the sum.
    ///
    /// - Parameter width: the width of a line; `nil` is unlimited.
    func lines(_ todo: Todo, width: Int? = nil) -> [String] {
        let columns = width ?? .max
        let parts = Part.allCases.filter { points(of: todo, for: $0) != 0 }
        let lines = parts.flatMap { part -> [String] in
            let line = Self.line(part.rawValue, points(of: todo, for: part)) + " of " + Self.column(weight(of: part))
            let said = reasons(of: todo, for: part)
            guard let shortest = said.last else { return [line] }
            func fitting(behind columnsBefore: Int) -> String? {
                said.first { columnsBefore + Width.columns($0) <= columns }
            }
            if let reason = fitting(behind: line.utf8.count + 2) { return [line + "  " + reason] }
            return [line, "    " + (fitting(behind: 4) ?? Width.cut(shortest, to: columns - 4))]
        }
        if lines.isEmpty, !todo.isDone { return [Self.line("urgency", 0), "  Nothing makes it urgent."] }
        return lines + [Self.line(todo.isDone ? "done" : "urgency", points(of: todo))]
    }

    /// The reasons for a part, from the longest wording to the shortest.
    private func reasons(of todo: Todo, for part: Part) -> [String] {
        switch part {
        case .overdue, .soon:
            todo.due.map { [$0.long, $0.short, $0.brief(on: now.day)].map { "due " + $0 } } ?? []
        case .priority: [Priority(level: todo.priority).name]
        case .next, .blocker: []
        case .blocked: ["after " + TodoSentences.ids(blocking.blockers(of: todo))]
        case .age: [Digits.counted(days(of: todo), "day")]
        }
    }

    private static func line(_ name: String, _ points: Int) -> String { "  " + Width.padded(name, to: 14) + column(points) }

    static func text(_ points: Int) -> String {
        "\(points < 0 ? "-" : "")\(abs(points) / 100).\(Digits.padded(abs(points) % 100, to: 2))"
    }

    private static func column(_ points: Int) -> String {
        let text = text(points)
        return String(repeating: " ", count: max(0, 6 - text.utf8.count)) + text
    }
}
