public import Chronicle
import Varlink

/// A value that a field of a message can have.
public protocol MessageValue: Sendable {
    /// Reads a field's value; throws `APIError.invalidParameter` with the place if it has another type.
    init(_ value: Value, at place: ValuePlace) throws(APIError)

    /// Appends the value as JSON.
    func append(to writer: inout ObjectWriter)
}

/// The place of a value in a message; errors name it with the fields above it: `from.sequence`.
public struct ValuePlace: Sendable {
    fileprivate let prefix: String
    fileprivate let name: String
    fileprivate var index: Int?
    let refusesUnknownFields: Bool

    var path: String { (prefix.isEmpty ? name : prefix + "." + name) + (index.map { "[\($0)]" } ?? "") }

    var invalid: APIError { .invalidParameter(path) }

    func require<Wanted>(_ wanted: Wanted?) throws(APIError) -> Wanted {
        guard let wanted else { throw invalid }
        return wanted
    }
}

/// Reads typed fields of a JSON object; an absent field and a null are the same.
public struct ObjectReader: Sendable {
    private let members: [Value.Field]
    private let path: String
    // A client must be understood completely. A daemon may be newer than its clients.
    private let refusesUnknownFields: Bool

    init(_ members: [Value.Field], path: String = "", refusesUnknownFields: Bool) {
        (self.members, self.path, self.refusesUnknownFields) = (members, path, refusesUnknownFields)
    }

    func message<Element: Message>() throws(APIError) -> Element {
        if refusesUnknownFields {
            for member in members where !Element.fieldNames.contains(where: { $0.hasSameBytes(as: member.name) }) {
                throw place(of: member.name).invalid
            }
        }
        return try Element(self)
    }

    func optional<Element: MessageValue>(_ name: String) throws(APIError) -> Element? {
        for member in members where member.name.hasSameBytes(as: name) && !member.value.isNull {
            return try Element(member.value, at: place(of: name))
        }
        return nil
    }

    func required<Element: MessageValue>(_ name: String) throws(APIError) -> Element {
        guard let value: Element = try optional(name) else { throw place(of: name).invalid }
        return value
    }

    private func place(of name: String) -> ValuePlace {
        ValuePlace(prefix: path, name: name, refusesUnknownFields: refusesUnknownFields)
    }
}

/// Writes JSON objects directly into bytes, without a tree in between.
///
/// Field names must be plain ASCII. A field that is `nil` is omitted.
public struct ObjectWriter: Sendable {
    /// The bytes written so far.
    public internal(set) var bytes: [UInt8] = []
    private var needsComma = false

    /// Writes an object whose fields `body` writes.
    public mutating func object(_ body: (inout ObjectWriter) -> Void) {
        bytes.append(UInt8(ascii: "{"))
        needsComma = false
        body(&self)
        bytes.append(UInt8(ascii: "}"))
        needsComma = true
    }

    public mutating func field(_ name: StaticString, _ value: some MessageValue) {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
        bytes.append(UInt8(ascii: "\""))
        name.withUTF8Buffer { bytes.append(contentsOf: $0) }
        bytes += "\":".utf8
        value.append(to: &self)
    }

    public mutating func field(_ name: StaticString, _ value: (some MessageValue)?) { if let value { field(name, value) } }
}

// MARK: - Types of fields

extension MessageValue where Self: FixedWidthInteger {
    public init(_ value: Value, at place: ValuePlace) throws(APIError) {
        let number = try place.require(value.int)
        self = try place.require(number.magnitude <= Int64.exactMax.magnitude ? Self(exactly: number) : nil)
    }

    /// Appends the number, or the nearest that every client keeps exact.
    public func append(to writer: inout ObjectWriter) {
        JSON.write(Swift.min(Swift.max(Int64(clamping: self), -Int64.exactMax), Int64.exactMax), into: &writer.bytes)
    }
}

extension Int: MessageValue {}
extension Int64: MessageValue {}
extension UInt32: MessageValue {}
extension UInt64: MessageValue {}

extension Bool: MessageValue {
    public init(_ value: Value, at place: ValuePlace) throws(APIError) { self = try place.require(value.bool) }

    public func append(to writer: inout ObjectWriter) { JSON.write(self, into: &writer.bytes) }
}

extension String: MessageValue {
    public init(_ value: Value, at place: ValuePlace) throws(APIError) { self = try place.require(value.text) }

    public func append(to writer: inout ObjectWriter) { JSON.write(self, into: &writer.bytes) }
}

// The type `object` of an interface.
extension Value: MessageValue {
    public init(_ value: Value, at place: ValuePlace) throws(APIError) { self = .record(try place.require(value.record)) }

    public func append(to writer: inout ObjectWriter) { write(into: &writer.bytes) }
}

extension MessageValue where Self: RawRepresentable<String> {
    public init(_ value: Value, at place: ValuePlace) throws(APIError) {
        self = try place.require(value.text.flatMap(Self.init(rawValue:)))
    }

    public func append(to writer: inout ObjectWriter) { JSON.write(rawValue, into: &writer.bytes) }
}

extension Array: MessageValue where Element: MessageValue {
    public init(_ value: Value, at place: ValuePlace) throws(APIError) {
        let values = try place.require(value.list)
        self = []
        reserveCapacity(values.count)
        var place = place
        for (index, value) in values.enumerated() {
            place.index = index
            append(try Element(value, at: place))
        }
    }

    public func append(to writer: inout ObjectWriter) {
        writer.bytes.append(UInt8(ascii: "["))
        for (index, element) in enumerated() {
            if index > 0 { writer.bytes.append(UInt8(ascii: ",")) }
            element.append(to: &writer)
        }
        writer.bytes.append(UInt8(ascii: "]"))
    }
}
