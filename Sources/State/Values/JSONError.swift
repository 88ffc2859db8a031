/// Why bytes are not one JSON text within its limits.
public struct JSONError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What is wrong, for a caller that treats some reasons apart.
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

    /// The byte, counted from 0, at which it was seen.
    public var offset: Int
    /// What is wrong there.
    public var reason: Reason

    /// Names a place and what is wrong there.
    public init(offset: Int, reason: Reason) {
        self.offset = offset
        self.reason = reason
    }

    /// What is wrong and where, as a sentence for people.
    public var description: String { "\(reason.rawValue) (byte \(offset))" }
}
