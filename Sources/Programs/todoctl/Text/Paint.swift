/// Colours for a terminal, or none.
struct Paint: Sendable {
    enum Colour: String {
        case red = "31"
        case green = "32"
        case yellow = "33"
        case dim = "2"
        case bold = "1"
        case struck = "9"
    }

    var isOn: Bool

    /// On for a terminal that can show colours, unless NO_COLOR says otherwise (https://no-color.org).
    init(isTerminal: Bool, environment: (String) -> String?) {
        let isDumb = environment("TERM").map { $0.isEmpty || $0 == "dumb" } ?? true
        isOn = isTerminal && !isDumb && (environment("NO_COLOR") ?? "").isEmpty
    }

    /// The text in a colour.
    func callAsFunction(_ text: String, _ colour: Colour?) -> String {
        guard isOn, let colour else { return text }
        return "\u{1B}[\(colour.rawValue)m\(text)\u{1B}[0m"
    }
}
