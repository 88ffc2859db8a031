public import Chronicle
import Varlink

/// A JSON object of the wire: the input or output of a method, or a type within them.
public protocol Message: MessageValue, Equatable {
    /// The names of the fields, in the order of the interface description.
    static var fieldNames: [String] { get }

    /// Reads the fields; throws `APIError.invalidParameter` with the name of a missing or mistyped field.
    init(_ fields: ObjectReader) throws(APIError)

    /// Writes the fields, in the order of the interface description.
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

    /// Appends the message as a JSON object.
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

    /// Number of bytes as JSON.
    public var byteCount: Int { json.count }

    /// The message as a tree, for parameters of errors; errors are rare, so it is written and parsed again.
    public var value: Value { (try? Value(parsing: json, limits: JSONLimits(depthMax: 1_024))) ?? .null }
}

/// A method of one of the interfaces.
public protocol Method: Sendable {
    /// Its parameters.
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
    /// The newest moment.
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
    /// The name of the file, beside the log.
    public static let fileName = "fork.json"
    /// The largest such file, in bytes.
    public static let fileBytesMax = 65_536

    /// Parses the file; throws `invalidParameter` if it does not describe a fork, or is `nil` because it can't be read.
    public init(file bytes: [UInt8]?) throws(APIError) {
        guard let bytes, let members = (try? Value(parsing: bytes))?.record else { throw .invalidParameter(Self.fileName) }
        try self.init(output: members)
    }
}
