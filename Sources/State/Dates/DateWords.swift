import Values

/// Why a text is no date and no point in time.
public struct DateMistake: Error, Equatable {
    /// A sentence; what a person wrote stands in it as it was written.
    public var message: String

    /// A mistake with its sentence.
    public init(message: String) { self.message = message }
}

/// The words that dates and points in time are made of, and the numbers among them.
public enum DateWords {
    /// The words of a text in lower case; the T of `2026-12-01T14:30` parts words, too.
    public static func words(of text: String) -> [Substring] {
        text.lowercased().split { $0.isWhitespace || $0 == "," }.flatMap { word -> [Substring] in
            let bytes = Array(word.utf8)
            guard bytes.count > 11, bytes[10] == UInt8(ascii: "t"), bytes[0..<4].allSatisfy(isDigit) else { return [word] }
            return [word.prefix(10), word.dropFirst(11)]
        }
    }

    /// 1 for `january` or `jan`.
    static func month(_ word: Substring) -> Int? {
        Day.monthNames.firstIndex { MomentWords.isShortened(word, from: $0) }.map { $0 + 1 }
    }

    /// `3`, or `a`, `an`, `one`.
    static func count(_ word: Substring) -> Int? { ["a", "an", "one"].contains(word) ? 1 : number(word, digits: 1...7) }

    /// A day's number in a month: `1`, `1.` or `1st`.
    static func dayNumber(_ word: Substring) -> Int? {
        number(word.hasSuffix(".") ? word.dropLast() : word, digits: 1...2) ?? ordinal(word)
    }

    /// 1 for `1st`, 12 for `12th`.
    static func ordinal(_ word: Substring) -> Int? {
        ["st", "nd", "rd", "th"].contains(word.suffix(2)) ? number(word.dropLast(2), digits: 1...2) : nil
    }

    /// A number in so many ASCII digits, and nothing else.
    static func number(_ word: Substring, digits: ClosedRange<Int>) -> Int? {
        guard digits.contains(word.utf8.count), word.utf8.allSatisfy(isDigit) else { return nil }
        return Int(word)
    }

    /// Whether a byte is an ASCII digit.
    public static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    /// A number with zeros in front.
    static func padded(_ number: Int, to width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
}
