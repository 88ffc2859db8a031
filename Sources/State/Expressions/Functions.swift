import Reducing

/// What computes one value from another.
enum Function: Sendable {
    case not
    /// Makes it true or false.
    case truth
    case negate
    /// Whether it is a text that passes.
    case test(TextTest)
    case length
    case lower
    /// The number of a day since 1970, of a time in microseconds or of a text that begins with a date.
    case day
    /// So many days in microseconds.
    case days

    /// Whether it takes the longer the longer a text is.
    var looksThroughText: Bool {
        switch self {
        case .test, .length, .lower: true
        case .not, .truth, .negate, .day, .days: false
        }
    }

    /// Computes it, and tells how many steps that takes besides its own.
    ///
    /// What it can't be computed of gives `null`, or does not hold.
    func value(of operand: Operand) -> (value: Operand, steps: Int) {
        // One after the other, so that no search is copied.
        switch self {
        case .not: return (.bool(!operand.isTrue), 0)
        case .truth: return (.bool(operand.isTrue), 0)
        case .test(let test):
            guard case .text(let text) = operand else { return (.bool(false), 0) }
            var steps = 0
            return (.bool(test.holds(text, &steps)), steps)
        case .length:
            guard case .text(let text) = operand else { return (.null, 0) }
            return (.int(Int64(text.unicodeScalars.count)), text.utf8.count / ExpressionLimits.searchedBytesPerStep)
        case .lower:
            guard case .text(let text) = operand else { return (.null, 0) }
            return (.text(text.lowered), SubstringSearch.steps(through: text))
        case .negate:
            guard case .int(let number) = operand else { return (.null, 0) }
            return (Arithmetic.subtract.value(.int(0), .int(number)), 0)
        case .day:
            switch operand {
            case .int(let time): return (.int(UTCDay.number(of: time)), 0)
            case .text(let text): return (CivilDay.number(beginning: text).map { .int($0) } ?? .null, 0)
            case .null, .bool, .whole: return (.null, 0)
            }
        case .days:
            guard case .int(let count) = operand else { return (.null, 0) }
            return (Arithmetic.multiply.value(.int(count), .int(UTCDay.microseconds)), 0)
        }
    }
}

/// The five ways to compute with two numbers.
enum Arithmetic: Sendable {
    case add, subtract, multiply, divide, remainder

    /// Total: what has no value in 64 bits, and what is computed of anything but numbers, is `null`.
    func value(_ left: Operand, _ right: Operand) -> Operand {
        guard case (.int(let left), .int(let right)) = (left, right) else { return .null }
        let (value, overflows) =
            switch self {
            case .add: left.addingReportingOverflow(right)
            case .subtract: left.subtractingReportingOverflow(right)
            case .multiply: left.multipliedReportingOverflow(by: right)
            case .divide: left.dividedReportingOverflow(by: right)
            // Nothing is left of the smallest number, either, though its quotient does not fit.
            case .remainder: right == -1 ? (0, false) : left.remainderReportingOverflow(dividingBy: right)
            }
        return overflows ? .null : .int(value)
    }
}

/// Days of the calendar that is used everywhere, counted from 1970 on.
enum CivilDay {
    /// The day that a text begins with, `2026-11-20` or `2026-11-20T14:30`; `nil` where it begins with none.
    static func number(beginning text: String) -> Int64? {
        let bytes = Array(text.utf8.prefix(11))
        guard bytes.count == 10 || bytes.count == 11 && bytes[10] == UInt8(ascii: "T"),
            bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
            let year = number(bytes[0..<4]), let month = number(bytes[5..<7]), let day = number(bytes[8..<10]),
            (1...12).contains(month), day >= 1, day <= days(in: month, of: year)
        else { return nil }
        // Years from March on, so that the leap day is the last one.
        let years = month > 2 ? year : year - 1
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        let era = (years >= 0 ? years : years - 399) / 400
        let yearOfEra = years - era * 400
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int64? {
        guard digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
    }

    private static func days(in month: Int64, of year: Int64) -> Int64 {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}
