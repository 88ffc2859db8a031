/// Why bytes are not a valid JSON text within the limits.
public struct JSONError: Error, Sendable, Equatable, CustomStringConvertible {
    public enum Reason: String, Sendable {
        case endOfText = "the text ends too early"
        case unexpectedByte = "no JSON value can go on like this"
        case trailingBytes = "something follows the value"
        case tooManyValues = "there are too many values in it"
        case tooDeep = "arrays and objects are nested too deep"
        case invalidUTF8 = "the text is not UTF-8"
        case controlCharacter = "a string holds a bare control character"
        case invalidEscape = "a string holds an unknown escape"
        case loneSurrogate = "a string holds half of a surrogate pair"
        case invalidNumber = "a number is written wrongly"
        case numberTooLarge = "a number is too large"
        case nameTooLong = "a member's name is too long"
        case duplicateName = "an object names a member twice"
    }

    /// The byte offset of the mistake, counted from 0.
    public var offset: Int
    public var reason: Reason

    public init(offset: Int, reason: Reason) { (self.offset, self.reason) = (offset, reason) }

    /// The mistake and its position as a sentence.
    public var description: String { "\(reason.rawValue) (byte \(offset))" }
}
