/// A strict JSON parser according to RFC 8259.
///
/// The bytes are passed to each function because a span can't be stored. A string without escapes is copied in one piece.
struct JSONReader {
    var offset = 0
    private(set) var depth = 0
    private var values = 0
    private let limits: JSONLimits

    init(limits: JSONLimits) { self.limits = limits }

    /// Reads the whole text as a single value.
    mutating func text(_ bytes: Span<UInt8>) throws(JSONError) -> Value {
        let value = try value(bytes)
        skipSpace(bytes)
        guard offset == bytes.count else { throw failure(.trailingBytes) }
        return value
    }

    /// Enters the array that forms the text; false if it is empty.
    mutating func opensList(_ bytes: Span<UInt8>) throws(JSONError) -> Bool {
        guard try next(bytes) == UInt8(ascii: "[") else { throw failure(.unexpectedByte) }
        try enter()
        return try !closes(UInt8(ascii: "]"), bytes)
    }

    /// Returns the next element of the entered array and its offset; the limit of values applies to each element.
    mutating func element(_ bytes: Span<UInt8>) throws(JSONError) -> (value: Value, offset: Int) {
        skipSpace(bytes)
        let start = offset
        values = 0
        return (try value(bytes), start)
    }

    /// Whether the last element of the entered array was read.
    mutating func endsList(_ bytes: Span<UInt8>) throws(JSONError) -> Bool { try ends(UInt8(ascii: "]"), bytes) }

    private mutating func value(_ bytes: Span<UInt8>) throws(JSONError) -> Value {
        let first = try next(bytes)
        values += 1
        guard values <= limits.valuesMax else { throw failure(.tooManyValues) }
        switch first {
        case UInt8(ascii: "\""): return .text(try string(bytes))
        case UInt8(ascii: "{"): return .record(try record(bytes))
        case UInt8(ascii: "["): return .list(try list(bytes))
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number(bytes)
        case UInt8(ascii: "t"):
            try word("true", bytes)
            return .bool(true)
        case UInt8(ascii: "f"):
            try word("false", bytes)
            return .bool(false)
        case UInt8(ascii: "n"):
            try word("null", bytes)
            return .null
        default: throw failure(.unexpectedByte)
        }
    }

    private mutating func record(_ bytes: Span<UInt8>) throws(JSONError) -> [Value.Field] {
        try enter()
        var fields: [Value.Field] = []
        var names = NameSet()
        guard try !closes(UInt8(ascii: "}"), bytes) else { return fields }
        fields.reserveCapacity(4)
        while true {
            guard try next(bytes) == UInt8(ascii: "\"") else { throw failure(.unexpectedByte) }
            let start = offset
            let name = try string(bytes)
            guard name.utf8.count <= JSONLimits.nameBytesMax else { throw JSONError(offset: start, reason: .nameTooLong) }
            if limits.duplicateNames == .refuse, !names.insert(name, into: fields) {
                throw JSONError(offset: start, reason: .duplicateName)
            }
            guard try next(bytes) == UInt8(ascii: ":") else { throw failure(.unexpectedByte) }
            offset += 1
            fields.append(Value.Field(name, try value(bytes)))
            if try ends(UInt8(ascii: "}"), bytes) { return fields }
        }
    }

    private mutating func list(_ bytes: Span<UInt8>) throws(JSONError) -> [Value] {
        try enter()
        var elements: [Value] = []
        guard try !closes(UInt8(ascii: "]"), bytes) else { return elements }
        while true {
            elements.append(try value(bytes))
            if try ends(UInt8(ascii: "]"), bytes) { return elements }
        }
    }

    /// Consumes an opening bracket and increments the depth.
    private mutating func enter() throws(JSONError) {
        guard depth < limits.depthMax else { throw failure(.tooDeep) }
        depth += 1
        offset += 1
    }

    /// Consumes the closing bracket if the array or object is empty.
    private mutating func closes(_ bracket: UInt8, _ bytes: Span<UInt8>) throws(JSONError) -> Bool {
        guard try next(bytes) == bracket else { return false }
        offset += 1
        depth -= 1
        return true
    }

    /// Consumes a comma or the closing bracket; true for the bracket.
    private mutating func ends(_ bracket: UInt8, _ bytes: Span<UInt8>) throws(JSONError) -> Bool {
        if try next(bytes) == UInt8(ascii: ",") {
            offset += 1
            return false
        }
        guard try closes(bracket, bytes) else { throw failure(.unexpectedByte) }
        return true
    }

    /// Skips white space and returns the next byte.
    private mutating func next(_ bytes: Span<UInt8>) throws(JSONError) -> UInt8 {
        skipSpace(bytes)
        guard offset < bytes.count else { throw failure(.endOfText) }
        return bytes[offset]
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
            case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"): offset += 1
            default: return
            }
        }
    }

    func failure(_ reason: JSONError.Reason) -> JSONError { JSONError(offset: offset, reason: reason) }
}

/// Detects duplicate member names by their bytes, with a linear search in small objects and a set in large ones.
private struct NameSet {
    private static let shortMax = 16
    private var names: Set<[UInt8]> = []

    /// Returns false if the name is a duplicate.
    mutating func insert(_ name: String, into fields: [Value.Field]) -> Bool {
        if fields.count < Self.shortMax {
            for index in fields.indices where fields[index].name.hasSameBytes(as: name) { return false }
            return true
        }
        if fields.count == Self.shortMax { names.formUnion(fields.map { Array($0.name.utf8) }) }
        return names.insert(Array(name.utf8)).inserted
    }
}
