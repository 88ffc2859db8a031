/// Colours for a terminal, or none.
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
        /// As the terminal shows text.
        case plain = "0"

        var name: String { String(describing: self) }

        init?(name: String) {
            guard let colour = Self.allCases.first(where: { $0.name == name }) else { return nil }
            self = colour
        }
    }

    /// What a person can choose the colour of.
    enum Role: String, CaseIterable {
        /// A date that has passed.
        case overdue
        /// A date that has not.
        case due
        /// The title of what is done.
        case done
        case tag
        case priority
    }

    var isOn: Bool
    /// What the person has chosen.
    var chosen: [Role: Colour] = [:]

    /// On for a terminal that can show colours, unless NO_COLOR says otherwise (https://no-color.org).
    init(isTerminal: Bool, environment: (String) -> String?) {
        let isDumb = environment("TERM").map { $0.isEmpty || $0 == "dumb" } ?? true
        isOn = isTerminal && !isDumb && (environment("NO_COLOR") ?? "").isEmpty
    }

    func callAsFunction(_ text: String, _ colour: Colour?) -> String {
        guard isOn, let colour, colour != .plain else { return text }
        return "\u{1B}[\(colour.rawValue)m\(text)\u{1B}[0m"
    }

    /// The text in the colour that the person has chosen for what it is, or else in the usual one.
    func callAsFunction(_ text: String, _ role: Role, usual: Colour?) -> String { self(text, colour(of: role, usual: usual)) }

    /// Pieces of a line, each in its colour.
    func callAsFunction(_ pieces: [PaintedText]) -> String { pieces.map { self($0.text, $0.colour) }.joined() }

    /// The colour that the person has chosen for what something is, or else the usual one.
    func colour(of role: Role, usual: Colour?) -> Colour? { chosen[role] ?? usual }
}

/// A piece of a line, and its colour, if it has one.
struct PaintedText: Equatable {
    var text: String
    var colour: Paint.Colour?

    init(_ text: String, _ colour: Paint.Colour? = nil) { (self.text, self.colour) = (text, colour) }
}
