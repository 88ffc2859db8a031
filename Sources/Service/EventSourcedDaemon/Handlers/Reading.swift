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
    /// Reads a condition that a client sent, on values of a shape.
    ///
    /// - Throws: `badExpression`, also if it asks for what nothing of that shape has.
    init(sent text: String, of shape: Shape, on subject: Subject) throws(APIError) {
        self = try Self.sent { () throws(ExpressionError) in try Expression(text, of: shape, on: subject) }
    }

    /// Reads an expression that a client sent and that gives a number, on states of a shape.
    ///
    /// - Throws: `badExpression`, also if it gives something else.
    init(number text: String, of shape: Shape) throws(APIError) {
        self = try Self.sent { () throws(ExpressionError) in try Expression(number: text, of: shape, on: .state) }
    }

    private static func sent(_ read: () throws(ExpressionError) -> Expression) throws(APIError) -> Expression {
        do { return try read() } catch {
            throw .badExpression(message: error.message, column: error.column)
        }
    }
}
