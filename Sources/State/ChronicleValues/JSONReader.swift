/// A strict JSON parser according to RFC 8259.
///
/// The bytes are passed to each function because a span can't be stored. A string without escapes is copied in one piece.
struct JSONReader {
    var offset = 0
    private(set) var depth = 0
    private var values = 0
    private let limits: JSONLimits

    init(limits: JSONLimits) { self.limits = limits }

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

    mutating func string(_ bytes: Span<UInt8>) throws(JSONError) -> String {
        let start = offset + 1
        var end = start
        while end < bytes.count {
            let byte = bytes[end]
            if byte == UInt8(ascii: "\"") {
                let value = try piece(bytes.extracting(start..<end), at: start)
                offset = end + 1
                return value
            }
            if byte == UInt8(ascii: "\\") { return try escapedString(bytes, start: start, firstEscape: end) }
            guard byte >= UInt8(ascii: " ") else { throw JSONError(offset: end, reason: .controlCharacter) }
            end += 1
        }
        throw JSONError(offset: end, reason: .endOfText)
    }

    /// Copies bytes as text after validating their UTF-8.
    private func piece(_ bytes: Span<UInt8>, at start: Int) throws(JSONError) -> String {
        do { return String(copying: try UTF8Span(validating: bytes)) } catch {
            throw JSONError(offset: start, reason: .invalidUTF8)
        }
    }

    /// Reads a string that contains an escape; the text between escapes is copied unchanged.
    private mutating func escapedString(_ bytes: Span<UInt8>, start: Int, firstEscape: Int) throws(JSONError) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(2 * (firstEscape - start) + 16)
        for index in start..<firstEscape { text.append(bytes[index]) }
        offset = firstEscape
        while offset < bytes.count {
            switch bytes[offset] {
            case UInt8(ascii: "\""):
                offset += 1
                // Escapes produce whole scalars, so the result is valid UTF-8 if and only if the bytes in between are.
                return try piece(text.span, at: start)
            case UInt8(ascii: "\\"): try escape(bytes, into: &text)
            case let byte where byte >= UInt8(ascii: " "):
                text.append(byte)
                offset += 1
            default: throw failure(.controlCharacter)
            }
        }
        throw failure(.endOfText)
    }

    private mutating func escape(_ bytes: Span<UInt8>, into text: inout [UInt8]) throws(JSONError) {
        guard offset + 1 < bytes.count else { throw JSONError(offset: bytes.count, reason: .endOfText) }
        let plain: UInt8
        switch bytes[offset + 1] {
        case let byte where [UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/")].contains(byte): plain = byte
        case UInt8(ascii: "b"): plain = 0x08
        case UInt8(ascii: "f"): plain = 0x0C
        case UInt8(ascii: "n"): plain = UInt8(ascii: "\n")
        case UInt8(ascii: "r"): plain = UInt8(ascii: "\r")
        case UInt8(ascii: "t"): plain = UInt8(ascii: "\t")
        case UInt8(ascii: "u"): return try unicodeEscape(bytes, into: &text)
        default: throw failure(.invalidEscape)
        }
        text.append(plain)
        offset += 2
    }

    private mutating func unicodeEscape(_ bytes: Span<UInt8>, into text: inout [UInt8]) throws(JSONError) {
        let first = try hexadecimal(bytes, at: offset + 2)
        var value = first
        var length = 6
        if first & 0xFC00 == 0xD800 {
            guard offset + 7 < bytes.count, bytes[offset + 6] == UInt8(ascii: "\\"), bytes[offset + 7] == UInt8(ascii: "u") else {
                throw failure(.loneSurrogate)
            }
            let second = try hexadecimal(bytes, at: offset + 8)
            guard second & 0xFC00 == 0xDC00 else { throw failure(.loneSurrogate) }
            value = 0x10000 + (first & 0x3FF) << 10 + (second & 0x3FF)
            length = 12
        }
        guard let scalar = Unicode.Scalar(value) else { throw failure(.loneSurrogate) }
        text.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
        offset += length
    }

    private func hexadecimal(_ bytes: Span<UInt8>, at start: Int) throws(JSONError) -> UInt32 {
        guard start + 4 <= bytes.count else { throw JSONError(offset: bytes.count, reason: .endOfText) }
        var value: UInt32 = 0
        for index in start..<start + 4 {
            guard let digit = Character(Unicode.Scalar(bytes[index])).hexDigitValue else {
                throw JSONError(offset: index, reason: .invalidEscape)
            }
            value = value << 4 | UInt32(digit)
        }
        return value
    }

    /// Reads a number: an integer directly, any other number with the exact conversion of the standard library.
    mutating func number(_ bytes: Span<UInt8>) throws(JSONError) -> Value {
        let start = offset
        let isNegative = bytes[offset] == UInt8(ascii: "-")
        if isNegative { offset += 1 }
        guard offset < bytes.count else { throw failure(.endOfText) }
        guard isDigit(bytes[offset]) else { throw failure(.invalidNumber) }

        // Accumulated as a negative number, because Int64 has one more negative value than positive ones.
        var negated: Int64 = 0
        var overflows = false
        if bytes[offset] == UInt8(ascii: "0") {
            offset += 1
            if offset < bytes.count, isDigit(bytes[offset]) { throw failure(.invalidNumber) }
        }
        while offset < bytes.count, isDigit(bytes[offset]) {
            let (product, productOverflows) = negated.multipliedReportingOverflow(by: 10)
            let (sum, sumOverflows) = product.subtractingReportingOverflow(Int64(bytes[offset] - UInt8(ascii: "0")))
            negated = sum
            overflows = overflows || productOverflows || sumOverflows
            offset += 1
        }
        if try skipFractionAndExponent(bytes) || overflows { return try double(bytes, start..<offset) }
        if isNegative { return .int(negated) }
        guard negated != .min else { return try double(bytes, start..<offset) }
        return .int(-negated)
    }

    /// Returns whether there was a fraction or an exponent.
    private mutating func skipFractionAndExponent(_ bytes: Span<UInt8>) throws(JSONError) -> Bool {
        let start = offset
        if offset < bytes.count, bytes[offset] == UInt8(ascii: ".") {
            offset += 1
            try skipDigits(bytes)
        }
        if offset < bytes.count, bytes[offset] == UInt8(ascii: "e") || bytes[offset] == UInt8(ascii: "E") {
            offset += 1
            if offset < bytes.count, bytes[offset] == UInt8(ascii: "+") || bytes[offset] == UInt8(ascii: "-") { offset += 1 }
            try skipDigits(bytes)
        }
        return offset != start
    }

    private mutating func skipDigits(_ bytes: Span<UInt8>) throws(JSONError) {
        guard offset < bytes.count else { throw failure(.endOfText) }
        guard isDigit(bytes[offset]) else { throw failure(.invalidNumber) }
        while offset < bytes.count, isDigit(bytes[offset]) { offset += 1 }
    }

    private func double(_ bytes: Span<UInt8>, _ range: Range<Int>) throws(JSONError) -> Value {
        var text = ""
        for index in range { text.unicodeScalars.append(Unicode.Scalar(bytes[index])) }
        guard let value = Double(text) else { throw JSONError(offset: range.lowerBound, reason: .invalidNumber) }
        guard value.isFinite else { throw JSONError(offset: range.lowerBound, reason: .numberTooLarge) }
        return .double(value)
    }

    private func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }
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

/// Reads a JSON array element by element, so that only one element is in memory.
public struct JSONElementReader: Sendable {
    private var reader: JSONReader

    public init(limits: JSONLimits = JSONLimits()) { reader = JSONReader(limits: limits) }

    /// Returns the next element and its byte offset; nil at the end of the array.
    /// - Parameter bytes: the whole text, the same in each call.
    /// - Throws: the mistake and its byte offset, also if the text is not an array.
    public mutating func next(in bytes: [UInt8]) throws(JSONError) -> (value: Value, offset: Int)? {
        let bytes = bytes.span
        let hasBegun = reader.offset > 0
        if hasBegun, reader.depth == 0 { return nil }
        guard hasBegun ? try reader.endsList(bytes) : try !reader.opensList(bytes) else { return try reader.element(bytes) }
        reader.skipSpace(bytes)
        guard reader.offset == bytes.count else { throw reader.failure(.trailingBytes) }
        return nil
    }
}
