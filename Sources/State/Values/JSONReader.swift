/// Reads one JSON text, strictly as RFC 8259 writes it.
///
/// A value type that walks over bytes lent to each function, since a span can't be stored. Strings are taken out in
/// one piece unless they hold an escape, integers without going through text.
struct JSONReader {
    var offset = 0
    private var depth = 0
    private var values = 0
    private let limits: JSONLimits

    init(limits: JSONLimits) {
        self.limits = limits
    }

    /// Reads the one value that the bytes are to be, with nothing but white space around it.
    mutating func text(_ bytes: Span<UInt8>) throws(JSONError) -> Value {
        let value = try value(bytes)
        skipSpace(bytes)
        guard offset == bytes.count else { throw failure(.trailingBytes) }
        return value
    }

    /// Steps into the list that the bytes are to be; `false` if nothing is in it.
    mutating func opensList(_ bytes: Span<UInt8>) throws(JSONError) -> Bool {
        skipSpace(bytes)
        guard offset < bytes.count else { throw failure(.endOfText) }
        guard bytes[offset] == Ascii.openBracket else { throw failure(.unexpectedByte) }
        try enter()
        return try !closes(Ascii.closeBracket, bytes)
    }

    /// The next element of a list that was stepped into, and where it begins; each may have as many values as the limits say.
    mutating func element(_ bytes: Span<UInt8>) throws(JSONError) -> (value: Value, offset: Int) {
        skipSpace(bytes)
        let start = offset
        values = 0
        return (try value(bytes), start)
    }

    /// Whether that was the last element of a list that was stepped into.
    mutating func endsList(_ bytes: Span<UInt8>) throws(JSONError) -> Bool { try ends(Ascii.closeBracket, bytes) }

    private mutating func value(_ bytes: Span<UInt8>) throws(JSONError) -> Value {
        skipSpace(bytes)
        guard offset < bytes.count else { throw failure(.endOfText) }
        values += 1
        guard values <= limits.valuesMax else { throw failure(.tooManyValues) }
        switch bytes[offset] {
        case Ascii.quote:
            return .text(try string(bytes))
        case Ascii.openBrace:
            return .record(try record(bytes))
        case Ascii.openBracket:
            return .list(try list(bytes))
        case Ascii.minus, Ascii.zero...Ascii.nine:
            return try number(bytes)
        case Ascii.t:
            try word("true", bytes)
            return .bool(true)
        case Ascii.f:
            try word("false", bytes)
            return .bool(false)
        case Ascii.n:
            try word("null", bytes)
            return .null
        default:
            throw failure(.unexpectedByte)
        }
    }

    private mutating func record(_ bytes: Span<UInt8>) throws(JSONError) -> [Value.Field] {
        try enter()
        var fields: [Value.Field] = []
        var names = NameSet()
        guard try !closes(Ascii.closeBrace, bytes) else { return fields }
        fields.reserveCapacity(4)
        while true {
            skipSpace(bytes)
            guard offset < bytes.count else { throw failure(.endOfText) }
            guard bytes[offset] == Ascii.quote else { throw failure(.unexpectedByte) }
            let start = offset
            let name = try string(bytes)
            guard name.utf8.count <= JSONLimits.nameBytesMax else { throw JSONError(offset: start, reason: .nameTooLong) }
            if limits.duplicateNames == .refuse, !names.insert(name, into: fields) {
                throw JSONError(offset: start, reason: .duplicateName)
            }
            skipSpace(bytes)
            guard offset < bytes.count else { throw failure(.endOfText) }
            guard bytes[offset] == Ascii.colon else { throw failure(.unexpectedByte) }
            offset += 1
            fields.append(Value.Field(name, try value(bytes)))
            if try ends(Ascii.closeBrace, bytes) { return fields }
        }
    }

    private mutating func list(_ bytes: Span<UInt8>) throws(JSONError) -> [Value] {
        try enter()
        var elements: [Value] = []
        guard try !closes(Ascii.closeBracket, bytes) else { return elements }
        while true {
            elements.append(try value(bytes))
            if try ends(Ascii.closeBracket, bytes) { return elements }
        }
    }

    /// Steps over the opening bracket, one level deeper.
    private mutating func enter() throws(JSONError) {
        guard depth < limits.depthMax else { throw failure(.tooDeep) }
        depth += 1
        offset += 1
    }

    /// Whether an array or object that was just opened is empty.
    private mutating func closes(_ bracket: UInt8, _ bytes: Span<UInt8>) throws(JSONError) -> Bool {
        skipSpace(bytes)
        guard offset < bytes.count else { throw failure(.endOfText) }
        guard bytes[offset] == bracket else { return false }
        offset += 1
        depth -= 1
        return true
    }

    /// Whether an element was the last one; steps over the comma otherwise.
    private mutating func ends(_ bracket: UInt8, _ bytes: Span<UInt8>) throws(JSONError) -> Bool {
        skipSpace(bytes)
        guard offset < bytes.count else { throw failure(.endOfText) }
        switch bytes[offset] {
        case Ascii.comma:
            offset += 1
            return false
        case bracket:
            offset += 1
            depth -= 1
            return true
        default:
            throw failure(.unexpectedByte)
        }
    }

    private mutating func word(_ word: StaticString, _ bytes: Span<UInt8>) throws(JSONError) {
        guard bytes.count - offset >= word.utf8CodeUnitCount else { throw failure(.endOfText) }
        let matches = word.withUTF8Buffer { letters in
            for index in letters.indices where bytes[offset + index] != letters[index] { return false }
            return true
        }
        guard matches else { throw failure(.unexpectedByte) }
        offset += word.utf8CodeUnitCount
    }

    mutating func skipSpace(_ bytes: Span<UInt8>) {
        while offset < bytes.count {
            switch bytes[offset] {
            case Ascii.space, Ascii.newline, Ascii.carriageReturn, Ascii.tab: offset += 1
            default: return
            }
        }
    }

    func failure(_ reason: JSONError.Reason) -> JSONError {
        JSONError(offset: offset, reason: reason)
    }
}

/// Tells whether an object has named a member before, by the bytes of the names: by looking in short objects, by a set in long ones.
private struct NameSet {
    private static let shortMax = 16
    private var names: Set<[UInt8]> = []

    /// False when the name is already among the fields.
    mutating func insert(_ name: String, into fields: [Value.Field]) -> Bool {
        if fields.count < Self.shortMax {
            for index in fields.indices where fields[index].name.hasSameBytes(as: name) { return false }
            return true
        }
        if fields.count == Self.shortMax {
            for field in fields { names.insert(Array(field.name.utf8)) }
        }
        return names.insert(Array(name.utf8)).inserted
    }
}
