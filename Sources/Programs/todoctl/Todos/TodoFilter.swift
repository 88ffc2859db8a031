import ArgumentParser
import Dates

/// Which todos a person wants to see.
struct TodoFilter: Equatable {
    enum Which {
        case open
        case done
        case all
    }

    /// UTF-8 bytes of an expression that the daemon takes.
    static let conditionBytesMax = 4_096

    var which = Which.open
    var isOverdueOnly = false
    /// All of them must be there.
    var tags: [String] = []
    /// Each word must stand in the title, the note or a tag, in whatever case.
    var words: [String] = []

    /// What the daemon is asked for: an expression on the fields of a todo that holds for those that are wanted and for no others;
    /// `nil` for all of them.
    ///
    /// - Parameter now: the moment at which they are overdue or not.
    /// - Throws: a failure when there is more to say than the daemon takes.
    func condition(at now: Moment) throws(Failure) -> String? {
        var conditions: [String] = []
        if which == .open || isOverdueOnly { conditions.append("not completed") }
        if which == .done { conditions.append("completed") }
        if isOverdueOnly {
            let (day, minute) = (now.day.text, Due.clock(now.second / 60))
            // A day passes at its end, a minute at its beginning.
            conditions.append("(due < \"\(day)\" or due >= \"\(day)T\" and due <= \"\(day)T\(minute)\")")
        }
        for tag in tags { conditions.append("any(tag in tags: tag == \(TodoFilter.quoted(tag)))") }
        for word in words {
            let word = TodoFilter.quoted(word)
            conditions.append(
                "(contains(title, \(word)) or contains(note, \(word)) or any(tag in tags: contains(tag, \(word))))")
        }
        let condition = conditions.joined(separator: " and ")
        guard condition.utf8.count <= TodoFilter.conditionBytesMax else {
            throw Failure(.usage, "The words and tags are more than the daemon looks for at once: name fewer, or shorter ones.")
        }
        return condition.isEmpty ? nil : condition
    }

    private static func quoted(_ text: String) -> String {
        let escaped = text.unicodeScalars.map { scalar in
            switch scalar {
            case "\"", "\\": "\\\(scalar)"
            case _ where scalar.value < 0x20: "\\u{\(String(scalar.value, radix: 16))}"
            default: String(scalar)
            }
        }
        return "\"" + escaped.joined() + "\""
    }
}

/// How a list of todos is sorted; those that are equal keep their order in the list.
enum TodoOrder: String, CaseIterable, ExpressibleByArgument {
    /// As they stand in the list.
    case list
    case due
    case priority
    case title
    case created
    case id

    /// Sorts todos that are given in the order of the list.
    func sorted(_ todos: [Todo]) -> [Todo] {
        switch self {
        case .list: todos
        case .due: stably(todos.filter { $0.due != nil }) { isEarlier($0.due, $1.due) } + todos.filter { $0.due == nil }
        case .priority: stably(todos) { $0.priority > $1.priority }
        case .title:
            stably(todos.map { ($0, $0.title.lowercased()) }) { $0.1 < $1.1 }.map(\.0)
        case .created: stably(todos) { ($0.created ?? 0) < ($1.created ?? 0) }
        case .id: stably(todos) { $0.id < $1.id }
        }
    }

    private func isEarlier(_ left: Due?, _ right: Due?) -> Bool {
        guard let left, let right else { return false }
        return left < right
    }

    private func stably<Element>(_ elements: [Element], _ isBefore: (Element, Element) -> Bool) -> [Element] {
        elements.enumerated().sorted { left, right in
            if isBefore(left.element, right.element) { return true }
            return !isBefore(right.element, left.element) && left.offset < right.offset
        }.map(\.element)
    }
}
