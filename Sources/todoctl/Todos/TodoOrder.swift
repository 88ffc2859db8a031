import ArgumentParser

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
