/// The id of an element of a list, as it is read: a whole number that can be one.
public struct ElementID: ValueConvertible, Equatable {
    /// What an id can be, so that every client's JSON keeps it and the one after exact.
    public static let range: ClosedRange<UInt64> = 1...(UInt64(Int64.exactMax) - 1)

    public var number: UInt64

    public var value: Value { .int(Int64(clamping: number)) }

    /// Reads a whole number from 1 to 2^53 - 2.
    public init(_ value: Value) throws(ValueMismatch) {
        guard case .int(let int) = value, let number = UInt64(exactly: int), Self.range.contains(number) else {
            throw ValueMismatch("", "an id, a whole number from 1, is expected")
        }
        self.number = number
    }
}
