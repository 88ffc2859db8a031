import Expressions
import Reducing
import TodoAPI

extension Path {
    /// Reads a path that a client sent.
    ///
    /// - Throws: `badExpression`, also if it leads to what no state has, so that what is misspelt is not taken for what is not there.
    init(sent text: String, of shape: Shape) throws(APIError) {
        do {
            self = try Path(text, of: shape)
        } catch {
            throw .badExpression(message: error.message, column: error.column)
        }
    }
}

extension Expression {
    /// Reads an expression that a client sent, on values of a shape.
    ///
    /// - Throws: `badExpression`, also if it asks for what nothing of that shape has.
    init(sent text: String, of shape: Shape) throws(APIError) {
        do {
            self = try Expression(text, of: shape)
        } catch {
            throw .badExpression(message: error.message, column: error.column)
        }
    }
}
