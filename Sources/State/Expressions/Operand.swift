import Chronicle
import Dates

enum Operand: Sendable {
    case null
    case bool(Bool)
    case int(Int64)
    case text(String)
    /// A list, a record or a double; true, but not comparable.
    case whole

    init(_ value: Value) {
        switch value {
        case .null: self = .null
        case .bool(let bool): self = .bool(bool)
        case .int(let number): self = .int(number)
        case .text(let text): self = .text(text)
        case .double, .list, .record: self = .whole
        }
    }

    /// Every value except `null` and `false` is true.
    var isTrue: Bool {
        switch self {
        case .null, .bool(false): false
        default: true
        }
    }
}

enum Comparison: String, Sendable {
    case equal = "=="
    case notEqual = "!="
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="

    /// Values of different types are not equal and have no order.
    func holds(_ left: Operand, _ right: Operand, _ remaining: inout Int) -> Bool {
        switch (left, right) {
        case (.int(let left), .int(let right)): return holds(left, right)
        case (.text(let left), .text(let right)):
            remaining -= min(left.utf8.count, right.utf8.count) / ExpressionLimits.comparedBytesPerStep
            switch self {
            case .equal: return left.hasSameBytes(as: right)
            case .notEqual: return !left.hasSameBytes(as: right)
            case .less, .greaterOrEqual: return left.utf8.lexicographicallyPrecedes(right.utf8) == (self == .less)
            case .greater, .lessOrEqual: return right.utf8.lexicographicallyPrecedes(left.utf8) == (self == .greater)
            }
        case (.bool(let left), .bool(let right)): return left == right ? self == .equal : self == .notEqual
        case (.null, .null): return self == .equal
        default: return self == .notEqual
        }
    }

    private func holds(_ left: Int64, _ right: Int64) -> Bool {
        switch self {
        case .equal: left == right
        case .notEqual: left != right
        case .less: left < right
        case .lessOrEqual: left <= right
        case .greater: left > right
        case .greaterOrEqual: left >= right
        }
    }
}

enum Arithmetic: String, Sendable {
    case add = "+"
    case subtract = "-"
    case multiply = "*"
    case divide = "/"
    case remainder = "%"

    /// `null` if the result does not fit into 64 bits, or if an operand is not a number.
    func value(_ left: Operand, _ right: Operand) -> Operand {
        guard case (.int(let left), .int(let right)) = (left, right) else { return .null }
        let (value, overflows) =
            switch self {
            case .add: left.addingReportingOverflow(right)
            case .subtract: left.subtractingReportingOverflow(right)
            case .multiply: left.multipliedReportingOverflow(by: right)
            case .divide: left.dividedReportingOverflow(by: right)
            // Int64.min % -1 is 0, although the division overflows.
            case .remainder: right == -1 ? (0, false) : left.remainderReportingOverflow(dividingBy: right)
            }
        return overflows ? .null : .int(value)
    }
}

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
