import ArgumentParser
import Dates

/// Which todos a person wants to see.
struct TodoFilter: Equatable {
    enum Which {
        /// What is open and does not wait, unless something else is said of that.
        case open
        /// What is open and waits.
        case waiting
        case done
        case all

        /// What is open where this is what is done, and the other way round.
        var other: Which? {
            switch self {
            case .open: .done
            case .done: .open
            case .waiting, .all: nil
            }
        }
    }

    /// UTF-8 bytes of an expression that the daemon takes.
    static let conditionBytesMax = 4_096

    var which = Which.open
    var isOverdueOnly = false
    /// All of them must be there, or one below each.
    var tags: [String] = []
    /// Each word must stand in the title, the note or a tag, in whatever case.
    var words: [String] = []
    /// What a person says in words.
    var filter = Filter()

    /// Whether those that wait are not meant.
    var leavesOutWaiting: Bool { which == .open && !isOverdueOnly && !filter.saysWaiting }

    /// The same of those that wait, which it leaves out.
    var ofWaiting: TodoFilter {
        var filter = self
        filter.which = .waiting
        return filter
    }

    /// What the daemon is asked for: an expression on the fields of a todo that holds for those that are wanted and for no others;
    /// `nil` for all of them.
    ///
    /// - Parameter now: the moment at which they are overdue or not, and wait or not.
    /// - Throws: a failure when there is more to say than the daemon takes.
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
                .usage, "That is more than the daemon looks for at once: name fewer ids, words and tags, or shorter ones.")
        }
        return condition
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
    /// What presses most first.
    case urgency

    /// Sorts todos that are given in the order of the list.
    ///
    /// - Parameter points: how much each presses, where that is asked for.
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
