import ArgumentParser
import Dates

struct TodoFilter: Equatable {
    enum Which {
        /// Open and not waiting, unless the filter specifies it.
        case open
        case waiting
        case done
        case all

        /// Open for done, and vice versa.
        var other: Which? {
            switch self {
            case .open: .done
            case .done: .open
            case .waiting, .all: nil
            }
        }
    }

    /// Maximum size of a condition in UTF-8 bytes.
    static let conditionBytesMax = 4_096

    var which = Which.open
    var isOverdueOnly = false
    /// Each of these tags, or one below it, must be present.
    var tags: [String] = []
    /// Each of these words must occur in the title, the note or a tag, ignoring case.
    var words: [String] = []
    var filter = Filter()

    var leavesOutWaiting: Bool { which == .open && !isOverdueOnly && !filter.saysWaiting }

    var ofWaiting: TodoFilter {
        var filter = self
        filter.which = .waiting
        return filter
    }

    /// The condition for the daemon; `nil` matches all todos.
    ///
    /// - Parameter now: the moment for overdue and waiting.
    /// - Throws: if the condition is too long for the daemon.
    func condition(at now: Moment) throws(Failure) -> String? {
        var clauses: [Clause] = []
        if which == .open, !isOverdueOnly { clauses.append(.not(Clause("completed"))) }
        if leavesOutWaiting { clauses.append(.not(FilterTerm.ahead(of: now))) }
        if which == .waiting { clauses.append(FilterTerm.waiting(at: now)) }
        if which == .done { clauses.append(Clause("completed")) }
        if isOverdueOnly { clauses.append(FilterTerm.overdue(at: now)) }
        for tag in tags { clauses.append(FilterTerm.tagged(tag)) }
        for word in words { clauses.append(Clause([FilterTerm(word: word).clause, FilterTerm.taggedLike(word)], .or)) }
        if let clause = filter.clause { clauses.append(clause) }
        guard !clauses.isEmpty else { return nil }
        let condition = Clause(clauses, .and).text
        guard condition.utf8.count <= TodoFilter.conditionBytesMax else {
            throw Failure(
                .usage, "The filter is too long for the daemon: use fewer or shorter ids, words and tags.")
        }
        return condition
    }
}

/// The sort order of a list; it is stable.
enum TodoOrder: String, CaseIterable, ExpressibleByArgument {
    /// In the order of the list.
    case list
    case due
    case priority
    case title
    case created
    case id
    case urgency

    /// - Parameter points: the urgency of a todo.
    func sorted(_ todos: [Todo], by points: (Todo) -> Int = { _ in 0 }) -> [Todo] {
        switch self {
        case .list: todos
        case .due: stably(todos.filter { $0.due != nil }) { isEarlier($0.due, $1.due) } + todos.filter { $0.due == nil }
        case .priority: stably(todos) { $0.priority > $1.priority }
        case .title:
            stably(todos.map { ($0, $0.title.lowercased()) }) { $0.1 < $1.1 }.map(\.0)
        case .created: stably(todos) { ($0.created ?? 0) < ($1.created ?? 0) }
        case .id: stably(todos) { $0.id < $1.id }
        case .urgency: stably(todos.map { ($0, points($0)) }) { $0.1 > $1.1 }.map(\.0)
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
