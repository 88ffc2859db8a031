import Terminal

extension Style {
    static func of(_ role: TextRole) -> Style {
        switch role {
        // The most frequent roles need no style changes, which saves bytes.
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

    /// The style on the selected line.
    static func selected(_ role: TextRole) -> Style { of(role).on(.chosen) }
}
