public import Reducing
import Varlink

/// Writes one JSON object after the other straight into bytes, without a tree in between.
///
/// Names are trusted to be plain ASCII; texts are escaped. A field that is `nil` is left out, never null.
public struct ObjectWriter: Sendable {
    /// What was written so far.
    public private(set) var bytes: [UInt8]
    private var needsComma = false

    /// Goes on after what `bytes` already hold.
    public init(after bytes: consuming [UInt8] = []) { self.bytes = bytes }

    /// Writes an object whose fields `body` writes.
    public mutating func object(_ body: (inout ObjectWriter) -> Void) {
        bytes.append(UInt8(ascii: "{"))
        needsComma = false
        body(&self)
        bytes.append(UInt8(ascii: "}"))
        needsComma = true
    }

    /// Writes a whole number, or the nearest that every client keeps exact.
    public mutating func field(_ name: StaticString, _ number: some BinaryInteger) {
        begin(name)
        JSON.write(Self.exact(number), into: &bytes)
    }

    private static func exact(_ number: some BinaryInteger) -> Int64 {
        min(max(Int64(clamping: number), -.exactMax), .exactMax)
    }

    /// Writes a whole number, if there is one.
    public mutating func field(_ name: StaticString, _ number: (some BinaryInteger)?) {
        if let number { field(name, number) }
    }

    /// Writes a truth value.
    public mutating func field(_ name: StaticString, _ flag: Bool) {
        begin(name)
        bytes.append(contentsOf: flag ? "true".utf8 : "false".utf8)
    }

    /// Writes a truth value, if there is one.
    public mutating func field(_ name: StaticString, _ flag: Bool?) {
        if let flag { field(name, flag) }
    }

    /// Writes a text.
    public mutating func field(_ name: StaticString, _ text: String) {
        begin(name)
        JSON.write(text, into: &bytes)
    }

    /// Writes a text, if there is one.
    public mutating func field(_ name: StaticString, _ text: String?) {
        if let text { field(name, text) }
    }

    /// Writes a value.
    public mutating func field(_ name: StaticString, _ value: Value) {
        begin(name)
        value.write(into: &bytes)
    }

    /// Writes a value, if there is one.
    public mutating func field(_ name: StaticString, _ value: Value?) {
        if let value { field(name, value) }
    }

    /// Writes an array of whole numbers.
    public mutating func field(_ name: StaticString, _ numbers: [UInt64]) {
        list(name, numbers) { number, writer in JSON.write(Self.exact(number), into: &writer.bytes) }
    }

    /// Writes an array of whole numbers, if there is one.
    public mutating func field(_ name: StaticString, _ numbers: [UInt64]?) {
        if let numbers { field(name, numbers) }
    }

    /// Writes an array of texts.
    public mutating func field(_ name: StaticString, _ texts: [String]) {
        list(name, texts) { text, writer in JSON.write(text, into: &writer.bytes) }
    }

    /// Writes an array of texts, if there is one.
    public mutating func field(_ name: StaticString, _ texts: [String]?) {
        if let texts { field(name, texts) }
    }

    /// Writes an array of values.
    public mutating func field(_ name: StaticString, _ values: [Value]) {
        list(name, values) { value, writer in value.write(into: &writer.bytes) }
    }

    /// Writes an array of values, if there is one.
    public mutating func field(_ name: StaticString, _ values: [Value]?) {
        if let values { field(name, values) }
    }

    public mutating func field(_ name: StaticString, _ message: some Message) {
        begin(name)
        object { message.write(fields: &$0) }
    }

    /// Writes an object, if there is one.
    public mutating func field(_ name: StaticString, _ message: (some Message)?) {
        if let message { field(name, message) }
    }

    /// Writes an array of objects.
    public mutating func field(_ name: StaticString, _ messages: [some Message]) {
        list(name, messages) { message, writer in writer.object { message.write(fields: &$0) } }
    }

    /// Writes an array of objects, if there is one.
    public mutating func field(_ name: StaticString, _ messages: [some Message]?) {
        if let messages { field(name, messages) }
    }

    private mutating func list<Element>(
        _ name: StaticString, _ elements: [Element], _ body: (Element, inout ObjectWriter) -> Void
    ) {
        begin(name)
        bytes.append(UInt8(ascii: "["))
        var first = true
        for element in elements {
            if !first { bytes.append(UInt8(ascii: ",")) }
            first = false
            body(element, &self)
        }
        bytes.append(UInt8(ascii: "]"))
        needsComma = true
    }

    private mutating func begin(_ name: StaticString) {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
        bytes.append(UInt8(ascii: "\""))
        name.withUTF8Buffer { bytes.append(contentsOf: $0) }
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
    }
}
