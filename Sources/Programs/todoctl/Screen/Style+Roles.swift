import Terminal

extension Style {
    /// How a meaning looks.
    static func of(_ role: TextRole) -> Style {
        switch role {
        // Each change of style costs bytes in every line; what stands in all of them has none.
        case .plain, .due: .plain
        case .dim, .frame: Style(.faint)
        case .bold: Style(.plain, on: .plain, .bold)
        case .heading: Style(.blue, on: .plain, .bold)
        case .overdue, .high: Style(.red)
        case .priority: Style(.yellow)
        case .tag: Style(.magenta)
        case .done: Style(.faint, on: .plain, .strike)
        case .flash: Style(.plain, on: .changed)
        case .marked: Style(.yellow, on: .plain, .bold)
        case .good, .live: Style(.green)
        case .failure: Style(.red, on: .plain, .bold)
        case .warning: Style(.yellow, on: .plain, .bold)
        case .past: Style(.plain, on: .past)
        case .added: Style(.green, on: .plain, .bold)
        case .removed: Style(.red, on: .plain, .strike)
        case .changed: Style(.yellow, on: .plain, .bold)
        }
    }

    /// The same in the line of the cursor.
    static func selected(_ role: TextRole) -> Style { of(role).on(.chosen) }
}
