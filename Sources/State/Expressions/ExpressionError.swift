/// Why a text is no expression, or no path, and where.
public struct ExpressionError: Error, Sendable, Equatable {
    /// A sentence that says what is expected.
    public var message: String
    /// Where, in characters from 1; one behind the last at the end of the text.
    public var column: Int

    public init(_ message: String, column: Int) {
        self.message = message
        self.column = column
    }
}

extension ExpressionError: CustomStringConvertible {
    /// The sentence, with the column before it.
    public var description: String { "column \(column): \(message)" }
}
