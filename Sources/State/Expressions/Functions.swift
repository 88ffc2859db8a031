import Chronicle
import Dates

/// A unary function.
enum Function: Sendable {
    case not
    case negate
    case test(SearchedPlace, SubstringSearch)
    case length
    case lower
    /// Days since 1970 of a time in microseconds or of a text that begins with a date.
    case day
    /// Converts days to microseconds.
    case days

    /// Whether its cost depends on the length of the text.
    var readsWholeText: Bool {
        switch self {
        case .test, .length, .lower: true
        case .not, .negate, .day, .days: false
        }
    }

    /// The value, which is `null` or false for an operand of the wrong type.
    ///
    /// - Parameter left: decreased by the steps that depend on the length of the text.
    func value(of operand: Operand, _ left: inout Int) -> Operand {
        // Switches over the payload in place, so that no search is copied.
        switch self {
        case .not: return .bool(!operand.isTrue)
        case .test(let place, let search):
            guard case .text(let text) = operand else { return .bool(false) }
            return .bool(search.isFound(place, in: text, &left))
        case .length:
            guard case .text(let text) = operand else { return .null }
            left -= text.utf8.count / ExpressionLimits.searchedBytesPerStep
            return .int(Int64(text.unicodeScalars.count))
        case .lower:
            guard case .text(let text) = operand else { return .null }
            left -= SubstringSearch.steps(through: text)
            return .text(text.lowered)
        case .negate: return Arithmetic.subtract.value(.int(0), operand)
        case .day:
            switch operand {
            case .int(let time): return .int(UTCDay.number(of: time))
            case .text(let text): return Self.day(beginning: text).map { .int($0) } ?? .null
            case .null, .bool, .whole: return .null
            }
        case .days: return Arithmetic.multiply.value(operand, .int(UTCDay.microseconds))
        }
    }

    /// The day of `2026-11-20` or `2026-11-20T14:30`; `nil` for any other text.
    private static func day(beginning text: String) -> Int64? {
        guard text.utf8.dropFirst(10).first ?? UInt8(ascii: "T") == UInt8(ascii: "T") else { return nil }
        return Day(iso: Substring(text.utf8.prefix(10))).map { Int64($0.number) }
    }
}
