/// Limits of expressions and of their evaluation.
public enum ExpressionLimits {
    /// Maximum size of an expression in UTF-8 bytes.
    public static let bytesMax = 4_096
    /// Maximum nesting depth of parentheses, `not`, signs, functions and loops.
    public static let depthMax = 32
    /// Maximum nesting depth of loops.
    public static let loopsMax = 4
    /// Number of list elements per page.
    public static let pageElementsMax = 256
    /// Number of fields or elements that are searched per step.
    public static let partsPerStep = 16
    /// Number of steps of a lookup by ID.
    public static let stepsPerOther = 32
    /// Number of bytes that a text comparison compares per step.
    public static let comparedBytesPerStep = 64
    /// Number of bytes of an ASCII text that are searched per step.
    public static let searchedBytesPerStep = 64
    /// Number of UTF-8 bytes of any other text that are searched per step.
    public static let mappedBytesPerStep = 4
}

/// An error in the text of an expression or path.
public struct ExpressionError: Error, Sendable, Equatable {
    /// The expected syntax or type, as a sentence.
    public var message: String
    /// The position of the error in characters, starting at 1; may be one past the end.
    public var column: Int

    public init(_ message: String, column: Int) {
        self.message = message
        self.column = column
    }
}

extension ExpressionError: CustomStringConvertible {
    public var description: String { "column \(column): \(message)" }
}
