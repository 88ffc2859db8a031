public import ActionCoding
public import Reducing

extension Counter {
    /// What can happen to the counter; in the log by number.
    public enum Action: UInt32, Sendable, Equatable, CaseIterable {
        /// One more.
        case increment = 1
        /// One less.
        case decrement = 2
        /// Back to 0.
        case reset = 3

        var name: String {
            switch self {
            case .increment: "increment"
            case .decrement: "decrement"
            case .reset: "reset"
            }
        }
    }
}

extension Counter.Action: ValueConvertible {
    /// One empty field, the case: `{"increment": {}}`.
    public var value: Value { .record([.init(name, [:])]) }

    /// Reads one empty field, the case.
    public init(_ value: Value) throws(ValueMismatch) {
        let choice = try RecordReader.choice(value)
        guard let action = Self.allCases.first(where: { $0.name == choice.name }) else {
            throw ValueMismatch(choice.name, "there is no such action")
        }
        do throws(ValueMismatch) { try RecordReader(choice.value).end() } catch { throw error.under(choice.name) }
        self = action
    }
}

extension Counter.Action: CanonicalCodable {
    /// One field, the case, with an empty message: 1 increment, 2 decrement, 3 reset.
    public func encode(into writer: inout CanonicalWriter) {
        writer.message(rawValue) { _ in }
    }

    /// Reads what `encode` wrote.
    public init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        guard let number = try cursor.nextField(in: bytes) else { throw CanonicalError(.missingField(1), at: cursor.offset) }
        guard let action = Self(rawValue: number) else { throw cursor.unknown() }
        let inner = try cursor.enterSingle(bytes)
        guard inner.isAtEnd, cursor.isAtEnd else { throw CanonicalError(.trailingBytes, at: inner.offset) }
        self = action
    }
}
