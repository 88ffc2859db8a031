/// Bytes that are not the canonical form of anything this build knows.
public struct CanonicalError: Error, Sendable, Equatable {
    /// What is wrong.
    public enum Reason: Sendable, Equatable {
        /// The bytes end inside a field.
        case truncated
        /// A field number that this build does not know: written by a newer one.
        case unknownField(UInt32)
        /// A field number not above the one before.
        case outOfOrder(UInt32)
        /// A number that could have been written shorter, or is too large for its type.
        case notCanonical
        /// A field of the other kind than its number has.
        case wrongKind
        /// Text that is not UTF-8.
        case invalidText
        /// A field that must be there is not.
        case missingField(UInt32)
        /// Bytes after the end.
        case trailingBytes
    }

    /// What is wrong.
    public var reason: Reason
    /// Where, in bytes from the start.
    public var offset: Int

    @inlinable
    public init(_ reason: Reason, at offset: Int) {
        self.reason = reason
        self.offset = offset
    }
}

extension CanonicalError {
    /// Why a build can't read what another wrote, as a sentence without its full stop.
    public var sentence: String {
        if case .unknownField(let number) = reason {
            return "a newer version wrote it: it has a field or case \(number) that this version does not know"
        }
        return "it can't be read by this version: \(reason)"
    }
}
