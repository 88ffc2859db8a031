/// Bytes that are not a canonical encoding known to this build.
public struct CanonicalError: Error, Sendable, Equatable {
    public enum Reason: Sendable, Equatable {
        /// The bytes end within a field.
        case truncated
        /// An unknown field number, presumably written by a newer version.
        case unknownField(UInt32)
        /// A field number that is not greater than the previous one.
        case outOfOrder(UInt32)
        /// A varint that is not encoded in its shortest form, or that is too large for its type.
        case notCanonical
        /// The kind of a field doesn't match its number.
        case wrongKind
        /// The text is not valid UTF-8.
        case invalidText
        /// A required field is missing.
        case missingField(UInt32)
        /// Bytes follow the end of the message.
        case trailingBytes
    }

    public var reason: Reason
    public var offset: Int

    @inlinable public init(_ reason: Reason, at offset: Int) { (self.reason, self.offset) = (reason, offset) }

    /// A description without a full stop.
    public var sentence: String {
        if case .unknownField(let number) = reason {
            return "a newer version wrote it: it has a field or case \(number) that this version does not know"
        }
        return "it can't be read by this version: \(reason)"
    }
}
