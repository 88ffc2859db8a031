import ChronicleValues

/// Why a text is not a valid date or point in time.
public struct DateMistake: Error, Equatable {
    /// A sentence that quotes the input as it was written.
    public var message: String

    public init(message: String) { self.message = message }
}

/// Splits dates into words and parses the numbers in them.
public enum DateWords {
    /// Splits a text into lower-case words; the T of `2026-12-01T14:30` is also a separator.
    public static func words(of text: String) -> [Substring] {
        text.lowercased().split { $0.isWhitespace || $0 == "," }.flatMap { word -> [Substring] in
            let bytes = Array(word.utf8)
            guard bytes.count > 11, bytes[10] == UInt8(ascii: "t"), bytes[0..<4].allSatisfy(isDigit) else { return [word] }
            return [word.prefix(10), word.dropFirst(11)]
        }
    }

    /// Returns 1 for `january` or `jan`.
    static func month(_ word: Substring) -> Int? {
        Day.monthNames.firstIndex { MomentWords.isShortened(word, from: $0) }.map { $0 + 1 }
    }

    /// Parses `3`, or 1 from `a`, `an` or `one`.
    static func count(_ word: Substring) -> Int? { ["a", "an", "one"].contains(word) ? 1 : number(word, digits: 1...7) }

    /// Parses the day of a month: `1`, `1.` or `1st`.
    static func dayNumber(_ word: Substring) -> Int? {
        number(word.hasSuffix(".") ? word.dropLast() : word, digits: 1...2) ?? ordinal(word)
    }

    /// Parses `1st` as 1 and `12th` as 12.
    static func ordinal(_ word: Substring) -> Int? {
        ["st", "nd", "rd", "th"].contains(word.suffix(2)) ? number(word.dropLast(2), digits: 1...2) : nil
    }

    /// Parses a number with the given count of ASCII digits.
    static func number(_ word: Substring, digits: ClosedRange<Int>) -> Int? {
        guard digits.contains(word.utf8.count), word.utf8.allSatisfy(isDigit) else { return nil }
        return Int(word)
    }

    public static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    /// Formats a number with leading zeros.
    static func padded(_ number: Int, to width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
}
