public import Fields

/// When something is due: a civil day, or a day and a minute, without a time zone.
///
/// Written "2026-12-01" or "2026-12-01T14:30". A day alone sorts before all its minutes. Years 1 to 9999, Gregorian.
public struct Due: Sendable, Hashable {
    private var storedYear: Int16
    private var storedMonth: UInt8
    private var storedDay: UInt8
    private var storedMinute: Int16

    /// The year, 1 to 9999.
    public var year: Int { Int(storedYear) }
    /// The month, 1 to 12.
    public var month: Int { Int(storedMonth) }
    /// The day of the month, from 1.
    public var day: Int { Int(storedDay) }
    /// The minute of the day, 0 to 1439, or `nil` for the day as a whole.
    public var minute: Int? { storedMinute < 0 ? nil : Int(storedMinute) }

    /// Makes a day, or a minute of it; `nil` if there is no such day or minute.
    public init?(year: Int, month: Int, day: Int, minute: Int? = nil) {
        guard (1...9999).contains(year), (1...12).contains(month), day >= 1, day <= Self.days(in: month, of: year) else {
            return nil
        }
        if let minute, !(0..<1440).contains(minute) { return nil }
        storedYear = Int16(year)
        storedMonth = UInt8(month)
        storedDay = UInt8(day)
        storedMinute = Int16(minute ?? -1)
    }

    /// Reads "2026-12-01" or "2026-12-01T14:30", nothing else; `nil` if there is no such day or minute.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count == 10 || bytes.count == 16, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
            let year = Self.number(bytes[0..<4]), let month = Self.number(bytes[5..<7]), let day = Self.number(bytes[8..<10])
        else { return nil }
        guard bytes.count == 16 else {
            self.init(year: year, month: month, day: day)
            return
        }
        guard bytes[10] == UInt8(ascii: "T"), bytes[13] == UInt8(ascii: ":"), let hour = Self.number(bytes[11..<13]), hour < 24,
            let minute = Self.number(bytes[14..<16]), minute < 60
        else { return nil }
        self.init(year: year, month: month, day: day, minute: hour * 60 + minute)
    }

    /// The form that `init(_:)` reads.
    public var text: String {
        let date = "\(Self.padded(year, 4))-\(Self.padded(month, 2))-\(Self.padded(day, 2))"
        guard let minute else { return date }
        return "\(date)T\(Self.padded(minute / 60, 2)):\(Self.padded(minute % 60, 2))"
    }

    /// A number that sorts as the value does, at least 1: year, month, day and minute + 1 (0 for none) in 14, 4, 5 and 11 bits.
    public var bits: UInt64 {
        UInt64(year) << 20 | UInt64(month) << 16 | UInt64(day) << 11 | UInt64(storedMinute + 1)
    }

    /// Reads `bits`; `nil` for any other number.
    public init?(bits: UInt64) {
        guard bits < 1 << 34 else { return nil }
        let minute = Int(bits & 0x7FF)
        self.init(
            year: Int(bits >> 20), month: Int(bits >> 16 & 0xF), day: Int(bits >> 11 & 0x1F),
            minute: minute == 0 ? nil : minute - 1)
    }

    /// Stands for no due where an optional would cost more room; never leaves this module.
    static let none = Due()

    private init() {
        storedYear = 0
        storedMonth = 0
        storedDay = 0
        storedMinute = -1
    }

    private static func days(in month: Int, of year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        var number = 0
        for digit in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            number = number * 10 + Int(digit - UInt8(ascii: "0"))
        }
        return number
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
}

extension Due: Comparable {
    /// Earlier, or a whole day before its minutes.
    public static func < (left: Due, right: Due) -> Bool { left.bits < right.bits }
}

/// As text, and in the log as `bits`.
extension Due: Field {
    /// A text.
    public static var shape: Shape { .text }
    /// Never: what isn't due has no due.
    public var isInitial: Bool { false }
    /// "2026-12-01" or "2026-12-01T14:30".
    public var value: Value { .text(text) }

    /// Reads "2026-12-01" or "2026-12-01T14:30".
    public init(_ value: Value) throws(ValueMismatch) {
        guard case .text(let text) = value, let due = Due(text) else {
            throw ValueMismatch("", "a day like 2026-12-01, or a day and a minute like 2026-12-01T14:30, is expected")
        }
        self = due
    }

    /// `bits`.
    public func write(_ number: UInt32, into writer: inout CanonicalWriter) { writer.element(number, bits) }

    /// Reads `bits`.
    public static func readAny(_ bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) -> Due {
        guard let due = Due(bits: try cursor.uintElement(bytes)) else { throw CanonicalError(.notCanonical, at: cursor.offset) }
        return due
    }
}
