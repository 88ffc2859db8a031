public import Chronicle
import Dates

/// When a todo is due: a day or a minute of a day, in local time without a zone.
///
/// The text form is "2026-12-01" or "2026-12-01T14:30". A whole day sorts before its minutes. Years 1 to 9999, Gregorian.
public struct Due: Sendable, Hashable {
    private var storedYear: Int16
    private var storedMonth: Month
    private var storedDay: UInt8
    private var storedMinute: Int16

    /// The year, 1 to 9999.
    public var year: Int { Int(storedYear) }
    public var month: Int { storedMonth.rawValue }
    public var day: Int { Int(storedDay) }
    /// The minute of the day, 0 to 1439; nil for a whole day.
    public var minute: Int? { storedMinute < 0 ? nil : Int(storedMinute) }

    public init?(year: Int, month: Int, day: Int, minute: Int? = nil) {
        guard let known = Month(rawValue: month), Day(year: year, month: month, day: day) != nil else { return nil }
        if let minute, !(0..<1440).contains(minute) { return nil }
        storedYear = Int16(year)
        storedMonth = known
        storedDay = UInt8(day)
        storedMinute = Int16(minute ?? -1)
    }

    /// Parses exactly "2026-12-01" or "2026-12-01T14:30"; nil if the day or minute doesn't exist.
    public init?(_ text: String) {
        guard [10, 16].contains(text.utf8.count), let due = Dates.Due(text: text) else { return nil }
        self.init(due.day, minute: due.minute)
    }

    public var text: String { Day(of: self).map { Dates.Due(day: $0, minute: minute).text } ?? "" }

    /// An order-preserving encoding, at least 1: year, month, day and minute + 1 (0 for a whole day) in 14, 4, 5 and 11 bits.
    public var bits: UInt64 { UInt64(year) << 20 | UInt64(month) << 16 | UInt64(day) << 11 | UInt64(storedMinute + 1) }

    public init?(bits: UInt64) {
        guard bits < 1 << 34 else { return nil }
        let minute = Int(bits & 0x7FF)
        self.init(
            year: Int(bits >> 20), month: Int(bits >> 16 & 0xF), day: Int(bits >> 11 & 0x1F),
            minute: minute == 0 ? nil : minute - 1)
    }

    /// An enum provides unused bit patterns, so that an optional due date takes no extra space.
    private enum Month: Int {
        case january = 1, february, march, april, may, june, july, august, september, october, november, december
    }
}

extension Due: Comparable {
    public static func < (left: Due, right: Due) -> Bool { left.bits < right.bits }
}

/// Encoded as a text on the wire and as `bits` in the log.
extension Due: ClearableField {
    /// The empty text clears the due date.
    public static var clearing: Value { "" }
    /// Never a valid encoding.
    public static var clearingNumber: UInt64 { 0 }
    public static var shape: Shape { .text }
    /// Always false, because a todo without a due date has no value.
    public var isInitial: Bool { false }
    public var value: Value { .text(text) }

    public init(_ value: Value) throws(ValueMismatch) {
        guard case .text(let text) = value, let due = Due(text) else {
            throw ValueMismatch("", "a day like 2026-12-01, or a day and a minute like 2026-12-01T14:30, is expected")
        }
        self = due
    }

    public func write(_ number: UInt32, into writer: inout CanonicalWriter) { writer.element(number, bits) }

    public static func readAny(_ bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) -> Due {
        guard let due = Due(bits: try cursor.uintElement(bytes)) else { throw CanonicalError(.notCanonical, at: cursor.offset) }
        return due
    }
}
