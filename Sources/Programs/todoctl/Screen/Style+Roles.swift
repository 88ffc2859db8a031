import Terminal

extension Style {
    /// How a meaning looks.
    static func of(_ role: TextRole) -> Style { Style() }
    static func selected(_ role: TextRole) -> Style { Style() }
    static var cursor: Style { Style() }
}
