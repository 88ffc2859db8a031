extension [UInt8] {
    package mutating func append(littleEndian number: UInt64) {
        for shift in stride(from: 0, to: 64 as UInt64, by: 8) { append(UInt8(truncatingIfNeeded: number >> shift)) }
    }

    /// Appends a number in big-endian order, so that bytes sort like numbers.
    package mutating func append(bigEndian number: UInt64) {
        for shift in stride(from: 56 as Int64, through: 0, by: -8) { append(UInt8(truncatingIfNeeded: number >> UInt64(shift))) }
    }

    package mutating func append(bigEndian number: UInt32) {
        for shift in stride(from: 24 as Int32, through: 0, by: -8) { append(UInt8(truncatingIfNeeded: number >> UInt32(shift))) }
    }
}

extension RawSpan {
    package func littleEndian(at offset: Int) -> UInt64 {
        UInt64(littleEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
}

extension UInt64 {
    /// All 20 decimal digits, so that texts sort like numbers.
    package var digits: String {
        let digits = String(self)
        return String(repeating: "0", count: 20 - digits.utf8.count) + digits
    }
}

extension Array {
    /// Removes all elements; keeps the storage only if its capacity is at most `count`.
    @inlinable
    package mutating func empty(keepingAtMost count: Int) { removeAll(keepingCapacity: capacity <= count) }
}

/// Saturating arithmetic on times: a log or an export can contain any number.
extension Int64 {
    package func adding(clamping other: Int64) -> Int64 {
        let (sum, isOver) = addingReportingOverflow(other)
        return isOver ? (other < 0 ? .min : .max) : sum
    }

    package func subtracting(clamping other: Int64) -> Int64 {
        let (difference, isOver) = subtractingReportingOverflow(other)
        return isOver ? (other < 0 ? .max : .min) : difference
    }
}

/// A text compared by its UTF-8 bytes.
///
/// `String` treats composed and decomposed "é" as equal; stored names and those of clients are distinguished by their bytes.
public struct ExactText: Sendable {
    public let text: String

    public init(_ text: String) { self.text = text }
}

extension ExactText: Hashable {
    public static func == (left: ExactText, right: ExactText) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }

    public func hash(into hasher: inout Hasher) {
        let bytes = text.utf8Span.span
        var word: UInt64 = 0
        for index in bytes.indices {
            word = word << 8 | UInt64(bytes[index])
            if index % 8 == 7 { hasher.combine(word) }
        }
        hasher.combine(word)
        hasher.combine(bytes.count)
    }
}
