/// The named maxima of expressions.
public enum ExpressionLimits {
    /// UTF-8 bytes of a text.
    public static let bytesMax = 4_096
    /// How deep parentheses, `not` and loops stand in one another.
    public static let depthMax = 32
    /// How deep `any`, `all` and `count` with a condition stand in one another.
    public static let loopsMax = 4
    /// List elements that an evaluation asks for at once.
    public static let pageElementsMax = 256
    /// Fields of a record, or elements of a list, that are passed over in one step on the way to one.
    public static let partsPerStep = 16
    /// Steps to find another element of the list by its id, and to make it.
    public static let stepsPerOther = 32
    /// Bytes of two texts that are compared in one step.
    public static let comparedBytesPerStep = 64
    /// Bytes of a text of ASCII alone that `contains` looks through in one step.
    public static let searchedBytesPerStep = 64
    /// UTF-8 bytes of any other text that `contains` looks through in one step.
    public static let mappedBytesPerStep = 4
}
