public import Chronicle
import Varlink

/// A JSON object of the wire: the input or output of a method, or a type within them.
public protocol Message: MessageValue, Equatable {
    /// The names of the fields, in the order of the interface description.
    static var fieldNames: [String] { get }

    /// Reads the fields; throws `APIError.invalidParameter` with the name of a missing or mistyped field.
    init(_ fields: ObjectReader) throws(APIError)
    func write(fields writer: inout ObjectWriter)
}

extension Message {
    /// Reads a client's message; throws `APIError.invalidParameter` with the name of a bad or unknown field.
    public init(input members: [Value.Field]) throws(APIError) {
        self = try ObjectReader(members, refusesUnknownFields: true).message()
    }

    /// Reads a daemon's message, ignoring unknown fields; throws `APIError.invalidParameter` with the name of a bad field.
    public init(output members: [Value.Field]) throws(APIError) {
        self = try ObjectReader(members, refusesUnknownFields: false).message()
    }

    public init(_ value: Value, at place: ValuePlace) throws(APIError) {
        let members = try place.require(value.record)
        self = try ObjectReader(members, path: place.path, refusesUnknownFields: place.refusesUnknownFields).message()
    }

    public func append(to writer: inout ObjectWriter) { writer.object { write(fields: &$0) } }

    public func write(into bytes: inout [UInt8]) {
        var writer = ObjectWriter()
        swap(&writer.bytes, &bytes)
        append(to: &writer)
        swap(&writer.bytes, &bytes)
    }

    private var json: [UInt8] {
        var bytes: [UInt8] = []
        write(into: &bytes)
        return bytes
    }

    public var byteCount: Int { json.count }

    /// The message as a tree, for parameters of errors; errors are rare, so it is written and parsed again.
    public var value: Value { (try? Value(parsing: json, limits: JSONLimits(depthMax: 1_024))) ?? .null }
}

/// A method of one of the interfaces.
public protocol Method: Sendable {
    associatedtype Input: Message
    /// The parameters of its reply, or of each of its replies.
    associatedtype Output: Message
    /// Its full name: `org.todod.Store.Dispatch`.
    static var name: String { get }
}

/// The input of a method without parameters.
public struct NoFields: Message {
    public static var fieldNames: [String] { [] }
    public init() {}
    public init(_ fields: ObjectReader) throws(APIError) {}
    public func write(fields writer: inout ObjectWriter) {}
}

extension Change.Kind: MessageValue {}

// Handwritten, because the wire has objects of any kind, but no values of any kind.
extension Conflict: Message {
    public static let fieldNames = ["path", "expected", "found"]

    public init(_ fields: ObjectReader) throws(APIError) {
        self.init(try fields.required("path"), expected: try fields.optional("expected"), found: try fields.optional("found"))
    }

    public func write(fields writer: inout ObjectWriter) {
        writer.field("path", path)
        writer.field("expected", expected.map(Self.record))
        writer.field("found", found.map(Self.record))
    }

    private static func record(_ value: Value) -> Value { if case .record = value { value } else { ["value": value] } }
}

extension Point {
    /// The first moment that can be read: before everything, or the base of a compacted log.
    public static let start = Point(bookmark: "start")
    public static let now = Point(bookmark: "now")
}

extension CommandID: Hashable {
    /// The id as people write it: `12.0`.
    public var text: String { "\(sequence).\(index)" }

    /// Reads what people write; `12` is `12.0`.
    public init?(text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
        guard let sequence = parts.first.flatMap({ UInt64(Substring($0)) }), sequence <= Int64.exactMax,
            let index = parts.count == 1 ? 0 : Int(Substring(parts[1])), (0..<1 << 32).contains(index)
        else { return nil }
        self.init(sequence: sequence, index: index)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(sequence)
        hasher.combine(index)
    }
}

/// The file in the directory of a fork that describes it: `todoctl` writes it, and `todod` reads it.
extension ForkMessage {
    public static let fileName = "fork.json"
    public static let fileBytesMax = 65_536

    /// Parses the file; throws `invalidParameter` if it does not describe a fork, or is `nil` because it can't be read.
    public init(file bytes: [UInt8]?) throws(APIError) {
        guard let bytes, let members = (try? Value(parsing: bytes))?.record else { throw .invalidParameter(Self.fileName) }
        try self.init(output: members)
    }
}

public protocol MessageValue: Sendable {
    /// Reads a field's value; throws `APIError.invalidParameter` with the place if it has another type.
    init(_ value: Value, at place: ValuePlace) throws(APIError)
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
    public internal(set) var bytes: [UInt8] = []
    private var needsComma = false

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
