struct Paint: Sendable {
    enum Colour: String, CaseIterable {
        case red = "31"
        case green = "32"
        case yellow = "33"
        case blue = "34"
        case magenta = "35"
        case cyan = "36"
        case dim = "2"
        case bold = "1"
        case struck = "9"
        case plain = "0"

        var name: String { String(describing: self) }

        init?(name: String) {
            guard let colour = Self.allCases.first(where: { $0.name == name }) else { return nil }
            self = colour
        }
    }

    enum Role: String, CaseIterable {
        case overdue, due, done, tag, priority
    }

    var isOn: Bool
    var chosen: [Role: Colour] = [:]

    /// Colours are on for a terminal that supports them, unless NO_COLOR is set (https://no-color.org).
    init(isTerminal: Bool, environment: (String) -> String?) {
        let isDumb = environment("TERM").map { $0.isEmpty || $0 == "dumb" } ?? true
        isOn = isTerminal && !isDumb && (environment("NO_COLOR") ?? "").isEmpty
    }

    func callAsFunction(_ text: String, _ colour: Colour?) -> String {
        guard isOn, let colour, colour != .plain else { return text }
        return "\u{1B}[\(colour.rawValue)m\(text)\u{1B}[0m"
    }

    /// The text in the colour configured for its role, or the usual one.
    func callAsFunction(_ text: String, _ role: Role, usual: Colour?) -> String { self(text, colour(of: role, usual: usual)) }

    func callAsFunction(_ pieces: [PaintedText]) -> String { pieces.map { self($0.text, $0.colour) }.joined() }

    func colour(of role: Role, usual: Colour?) -> Colour? { chosen[role] ?? usual }
}

struct PaintedText: Equatable {
    var text: String
    var colour: Paint.Colour?

    init(_ text: String, _ colour: Paint.Colour? = nil) { (self.text, self.colour) = (text, colour) }
}
