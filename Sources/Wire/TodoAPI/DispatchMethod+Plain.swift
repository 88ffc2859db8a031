import Chronicle
import Varlink

extension DispatchMethod.Input {
    /// Parses a call that dispatches actions, with or without a key; `nil` for every other frame, valid or not.
    ///
    /// A fast path for almost all dispatches: the strict parser takes twice as long, a sixth more instructions per dispatch.
    /// - Parameters:
    ///   - opening: the beginning of such a call, from ``opening(_:)``.
    ///   - depthMax: the maximum nesting of arrays and objects.
    public init?(plain frame: Span<UInt8>, opening: [UInt8], depthMax: Int = 64) {
        let expected = opening.span
        guard frame.count > expected.count else { return nil }
        for index in expected.indices where frame[unchecked: index] != expected[unchecked: index] { return nil }
        // The list of actions is the third level.
        var cursor = PlainCursor(offset: expected.count, depthMax: depthMax - 3)
        guard let actions = cursor.list(frame), actions.allSatisfy(\.isRecord) else { return nil }
        var key: String?
        if cursor.take(#","key":"#, frame) {
            guard let text = cursor.text(frame) else { return nil }
            key = text
        }
        guard cursor.take("}}", frame), cursor.offset == frame.count else { return nil }
        self.init(actions: actions, key: key)
    }

    /// The beginning of a call that dispatches actions, in a service with these names.
    public static func opening(_ names: InterfaceNames) -> [UInt8] {
        Array(#"{"method":"\#(names.served(DispatchMethod.name))","parameters":{"actions":"#.utf8)
    }
}

extension Value {
    fileprivate var isRecord: Bool { if case .record = self { true } else { false } }
}

/// Parses a subset of JSON: no white space, no escapes, only integers, limited nesting.
///
/// Accepted text means the same to the strict parser. All other text, valid or not, gives `nil` and is left to the strict parser.
struct PlainCursor {
    /// Maximum nesting of lists and records, whatever a service allows.
    private static let depthMax = 16
    /// Maximum number of fields of a record.
    private static let fieldsMax = 16
    /// Maximum number of digits, so that every number fits.
    private static let digitsMax = 18
    private(set) var offset: Int
    private let depthMax: Int

    /// - Parameter depthMax: the levels of lists and records that a service allows below the first list.
    init(offset: Int, depthMax: Int) { (self.offset, self.depthMax) = (offset, min(depthMax, Self.depthMax)) }

    mutating func take(_ text: StaticString, _ bytes: Span<UInt8>) -> Bool {
        let count = text.utf8CodeUnitCount
        guard bytes.count - offset >= count else { return false }
        let matches = text.withUTF8Buffer { letters in
            for index in 0..<count where bytes[unchecked: offset + index] != letters[index] { return false }
            return true
        }
        if matches { offset += count }
        return matches
    }

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
        // JSON has no leading zeros. A fraction or an exponent fails in the caller.
        guard offset > start, offset == start + 1 || bytes[start] != UInt8(ascii: "0") else { return nil }
        return isNegative ? -number : number
    }
}
