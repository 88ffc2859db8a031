import Reducing

/// Why a text is no date and no point in time.
struct DateMistake: Error, Equatable {
    /// A sentence; what a person wrote is visible text in it.
    var message: String
}

/// The words that dates and points in time are made of, and the numbers among them.
enum DateWords {
    /// The words of a text in lower case; the T of `2026-12-01T14:30` parts words, too.
    static func words(of text: String) -> [Substring] {
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

    /// A number in so many ASCII digits, and nothing else.
    static func number(_ word: Substring, digits: ClosedRange<Int>) -> Int? {
        guard digits.contains(word.utf8.count), word.utf8.allSatisfy(isDigit) else { return nil }
        return Int(word)
    }

    static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
