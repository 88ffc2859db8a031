public import ActionCoding
public import Reducing

extension Stars.Action: ValueConvertible {
    /// One field, the case: `{"press": {"id": "swift"}}`.
    public var value: Value {
        switch self {
        case .press(let id): ["press": ["id": .text(id)]]
        case .staring(let id): ["staring": ["id": .text(id)]]
        case .unstaring(let id): ["unstaring": ["id": .text(id)]]
        case .starred(let id): ["starred": ["id": .text(id)]]
        case .unstarred(let id): ["unstarred": ["id": .text(id)]]
        case .failed(let id, let reason): ["failed": ["id": .text(id), "reason": .text(reason)]]
        }
    }

    /// Reads one field, the case.
    public init(_ value: Value) throws(ValueMismatch) {
        let choice = try RecordReader.choice(value)
        do throws(ValueMismatch) {
            var record = try RecordReader(choice.value)
            switch choice.name {
            case "press": self = .press(try record.required("id"))
            case "staring": self = .staring(try record.required("id"))
            case "unstaring": self = .unstaring(try record.required("id"))
            case "starred": self = .starred(try record.required("id"))
            case "unstarred": self = .unstarred(try record.required("id"))
            case "failed": self = .failed(try record.required("id"), reason: try record.required("reason"))
            default: throw ValueMismatch("", "there is no such action")
            }
            try record.end()
        } catch { throw error.under(choice.name) }
    }
}

extension Stars.Action: CanonicalCodable {
    private var number: UInt32 {
        switch self {
        case .press: 1
        case .staring: 2
        case .unstaring: 3
        case .starred: 4
        case .unstarred: 5
        case .failed: 6
        }
    }

    /// One field, the case, with a message: 1 press, 2 staring, 3 unstaring, 4 starred, 5 unstarred (each 1 id), 6 failed (1 id, 2 reason).
    public func encode(into writer: inout CanonicalWriter) {
        writer.message(number) { writer in
            writer.field(1, id)
            if case .failed(_, let reason) = self { writer.field(2, reason) }
        }
    }

    /// Reads what `encode` wrote; an impossible id is an error.
    public init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        guard let choice = try cursor.nextField(in: bytes) else { throw CanonicalError(.missingField(1), at: cursor.offset) }
        guard (1...6).contains(choice) else { throw cursor.unknown() }
        var inner = try cursor.enterSingle(bytes)
        guard cursor.isAtEnd else { throw CanonicalError(.trailingBytes, at: cursor.offset) }
        var id = ""
        var reason = ""
        while let number = try inner.nextField(in: bytes) {
            switch (choice, number) {
            case (_, 1): id = try inner.starID(bytes)
            case (6, 2): reason = try inner.text(bytes)
            default: throw inner.unknown()
            }
        }
        guard !id.utf8.isEmpty else { throw CanonicalError(.missingField(1), at: inner.offset) }
        self =
            switch choice {
            case 1: .press(id)
            case 2: .staring(id)
            case 3: .unstaring(id)
            case 4: .starred(id)
            case 5: .unstarred(id)
            default: .failed(id, reason: reason)
            }
    }
}
