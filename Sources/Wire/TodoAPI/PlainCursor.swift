import Reducing
import Varlink

/// Walks over JSON that is written plainly: no white space, no escapes, whole numbers, nothing nested deep.
///
/// What it reads means the same to the strict reader. To everything else, right or wrong, it says `nil`, and the strict
/// reader, which knows why, has the word.
struct PlainCursor {
    /// How deep lists and records may be nested here, whatever a service allows.
    private static let depthMax = 16
    /// How many fields a record may have here.
    private static let fieldsMax = 16
    /// Digits that always fit.
    private static let digitsMax = 18

    private(set) var offset = 0
    private let depthMax: Int

    /// - Parameter depthMax: how many levels of lists and records a service allows below the first list.
    init(depthMax: Int = PlainCursor.depthMax) { self.depthMax = min(depthMax, Self.depthMax) }

    /// Steps over these bytes, if they come next.
    mutating func take(_ text: StaticString, _ bytes: Span<UInt8>) -> Bool {
        let count = text.utf8CodeUnitCount
        guard bytes.count - offset >= count else { return false }
        let matches = text.withUTF8Buffer { letters in
            // Within bounds, as was just seen.
            for index in 0..<count where bytes[unchecked: offset + index] != letters[index] { return false }
            return true
        }
        if matches { offset += count }
        return matches
    }

    /// Steps over one byte, if it comes next.
    mutating func take(_ byte: UInt8, _ bytes: Span<UInt8>) -> Bool {
        guard offset < bytes.count, bytes[offset] == byte else { return false }
        offset += 1
        return true
    }

    mutating func text(_ bytes: Span<UInt8>) -> String? {
        guard take(UInt8(ascii: "\""), bytes) else { return nil }
        let start = offset
        while offset < bytes.count, bytes[offset] != UInt8(ascii: "\"") {
            guard bytes[offset] >= 0x20, bytes[offset] != UInt8(ascii: "\\") else { return nil }
            offset += 1
        }
        guard offset < bytes.count, let text = try? UTF8Span(validating: bytes.extracting(start..<offset)) else { return nil }
        offset += 1
        return String(copying: text)
    }

    mutating func value(_ bytes: Span<UInt8>, depth: Int = 0) -> Value? {
        guard offset < bytes.count else { return nil }
        switch bytes[offset] {
        case UInt8(ascii: "\""): return text(bytes).map(Value.text)
        case UInt8(ascii: "{"): return record(bytes, depth: depth).map(Value.record)
        case UInt8(ascii: "["): return list(bytes, depth: depth).map(Value.list)
        case UInt8(ascii: "t"): return take("true", bytes) ? .bool(true) : nil
        case UInt8(ascii: "f"): return take("false", bytes) ? .bool(false) : nil
        default: return integer(bytes).map(Value.int)
        }
    }

    /// Reads a list of values.
    mutating func list(_ bytes: Span<UInt8>, depth: Int = 0) -> [Value]? {
        guard depth <= depthMax, take(UInt8(ascii: "["), bytes) else { return nil }
        var values: [Value] = []
        if take(UInt8(ascii: "]"), bytes) { return values }
        repeat {
            guard let value = value(bytes, depth: depth + 1) else { return nil }
            values.append(value)
        } while take(UInt8(ascii: ","), bytes)
        return take(UInt8(ascii: "]"), bytes) ? values : nil
    }

    private mutating func record(_ bytes: Span<UInt8>, depth: Int) -> [Value.Field]? {
        guard depth <= depthMax, take(UInt8(ascii: "{"), bytes) else { return nil }
        var fields: [Value.Field] = []
        if take(UInt8(ascii: "}"), bytes) { return fields }
        repeat {
            guard fields.count < Self.fieldsMax, let name = text(bytes), name.utf8.count <= JSONLimits.nameBytesMax,
                take(UInt8(ascii: ":"), bytes)
            else { return nil }
            for index in fields.indices where fields[index].name.hasSameBytes(as: name) { return nil }
            guard let value = value(bytes, depth: depth + 1) else { return nil }
            fields.append(Value.Field(name, value))
        } while take(UInt8(ascii: ","), bytes)
        return take(UInt8(ascii: "}"), bytes) ? fields : nil
    }

    private mutating func integer(_ bytes: Span<UInt8>) -> Int64? {
        let isNegative = take(UInt8(ascii: "-"), bytes)
        let start = offset
        var number: Int64 = 0
        while offset < bytes.count, bytes[offset] &- UInt8(ascii: "0") < 10 {
            guard offset - start < Self.digitsMax else { return nil }
            number = number * 10 + Int64(bytes[offset] - UInt8(ascii: "0"))
            offset += 1
        }
        // A zero in front is no JSON; what follows a whole number, such as a fraction, is found by who reads on.
        guard offset > start, offset == start + 1 || bytes[start] != UInt8(ascii: "0") else { return nil }
        return isNegative ? -number : number
    }
}
