public import ActionCoding
public import Reducing

extension Counter {
    /// What can happen to the counter.
    public enum Action: Sendable, Equatable {
        /// One more.
        case increment
        /// One less.
        case decrement
        /// Back to 0.
        case reset
        /// So many more, or less: what was counted is taken back. No client dispatches it.
        case shift(by: Int64)

        var name: String {
            switch self {
            case .increment: "increment"
            case .decrement: "decrement"
            case .reset: "reset"
            case .shift: "shift"
            }
        }
    }
}

extension Counter.Action: ValueConvertible {
    /// One field, the case: `{"increment": {}}`, `{"shift": {"by": 3}}`.
    public var value: Value {
        if case .shift(let difference) = self { ["shift": ["by": .int(difference)]] } else { .record([.init(name, [:])]) }
    }

    /// Reads one field, the case.
    public init(_ value: Value) throws(ValueMismatch) {
        let choice = try RecordReader.choice(value)
        do throws(ValueMismatch) {
            var record = try RecordReader(choice.value)
            switch choice.name {
            case "increment": self = .increment
            case "decrement": self = .decrement
            case "reset": self = .reset
            case "shift": self = .shift(by: try record.required("by"))
            default: throw ValueMismatch("", "there is no such action")
            }
            try record.end()
        } catch { throw error.under(choice.name) }
    }
}

extension Counter.Action: CanonicalCodable {
    /// One field, the case, with a message: 1 increment, 2 decrement, 3 reset, all empty, 4 shift (1 difference, signed).
    public func encode(into writer: inout CanonicalWriter) {
        switch self {
        case .increment: writer.message(1) { _ in }
        case .decrement: writer.message(2) { _ in }
        case .reset: writer.message(3) { _ in }
        case .shift(let difference): writer.message(4) { $0.field(1, difference) }
        }
    }

    /// Reads what `encode` wrote.
    public init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        guard let number = try cursor.nextField(in: bytes) else { throw CanonicalError(.missingField(1), at: cursor.offset) }
        guard (1...4).contains(number) else { throw cursor.unknown() }
        var inner = try cursor.enterSingle(bytes)
        guard cursor.isAtEnd else { throw CanonicalError(.trailingBytes, at: cursor.offset) }
        switch number {
        case 1: self = .increment
        case 2: self = .decrement
        case 3: self = .reset
        default:
            guard let field = try inner.nextField(in: bytes) else { throw CanonicalError(.missingField(1), at: inner.offset) }
            guard field == 1 else { throw inner.unknown() }
            self = .shift(by: try inner.int(bytes))
        }
        guard inner.isAtEnd else { throw CanonicalError(.trailingBytes, at: inner.offset) }
    }
}
