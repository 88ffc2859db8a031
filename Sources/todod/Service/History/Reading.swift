import AppFeature
import Expressions
import Reducing
import TodoAPI

extension Path {
    /// Reads a path that a client sent.
    ///
    /// - Throws: `badExpression`; `unknownPath` if no feature has such a field.
    init(sent text: String) throws(APIError) {
        do {
            self = try Path(text)
        } catch {
            throw .badExpression(message: error.message, column: error.column)
        }
        try check()
    }

    /// Every path begins with a feature and one of its fields, so that what is misspelt is not taken for what is not there.
    func check() throws(APIError) {
        let place = names.prefix(2).joined(separator: ".")
        guard App.scopes.contains(place) else { throw .unknownPath(description) }
    }
}

extension Expression {
    /// Reads an expression that a client sent.
    ///
    /// - Throws: `badExpression`; `unknownPath` if it reads what no feature has.
    init(sent text: String) throws(APIError) {
        do {
            self = try Expression(text)
        } catch {
            throw .badExpression(message: error.message, column: error.column)
        }
        for path in paths { try path.check() }
    }
}
