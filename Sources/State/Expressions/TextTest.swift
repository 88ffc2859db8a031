import Reducing
import Values

/// What is asked of one text alone.
enum TextTest: Sendable {
    case contains(SubstringSearch)
    case begins(SubstringSearch)
    case ends(SubstringSearch)
    case isText(String)
    /// Whether its small form is a text.
    case isLowered(String)

    /// Whether a text passes.
    ///
    /// - Parameter steps: grows by what that takes besides its own.
    func holds(_ text: String, _ steps: inout Int) -> Bool {
        switch self {
        case .contains(let search):
            steps += SubstringSearch.steps(through: text)
            return search.matches(anyCase: text)
        case .begins(let search):
            steps += search.steps(atAnEndOf: text)
            return search.begins(anyCase: text)
        case .ends(let search):
            steps += search.steps(atAnEndOf: text)
            return search.ends(anyCase: text)
        case .isText(let other):
            steps += Comparison.steps(text, other)
            return text.hasSameBytes(as: other)
        case .isLowered(let other):
            steps += SubstringSearch.steps(through: text)
            return text.lowered.hasSameBytes(as: other)
        }
    }

    /// What a text has that passes.
    var needed: Signature {
        switch self {
        case .contains(let search), .begins(let search), .ends(let search): search.signature
        case .isText(let text), .isLowered(let text): Signature(text: text)
        }
    }
}

extension String {
    /// Its small form; made only where it is not the text itself.
    var lowered: String {
        let utf8 = utf8Span
        guard utf8.isKnownASCII else { return lowercased() }
        let bytes = utf8.span
        for index in bytes.indices where bytes[index] != bytes[index].small { return lowercased() }
        return self
    }
}
