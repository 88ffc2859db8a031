public import Reducing
public import Varlink

extension Value {
    /// Takes over a JSON value.
    ///
    /// - Throws: `ValueMismatch` with the place of a number that is not whole; nothing else is lost or changed.
    public init(_ json: JSON) throws(ValueMismatch) {
        switch json {
        case .null: self = .null
        case .bool(let flag): self = .bool(flag)
        case .int(let number): self = .int(number)
        case .double: throw ValueMismatch("", "Expected a whole number.")
        case .string(let text): self = .text(text)
        case .array(let elements):
            var values: [Value] = []
            values.reserveCapacity(elements.count)
            for (index, element) in elements.enumerated() {
                do { values.append(try Value(element)) } catch { throw error.under("[\(index)]") }
            }
            self = .list(values)
        case .object(let members): self = try Value(members)
        }
    }

    /// Takes over the members of a JSON object as a record.
    ///
    /// - Throws: `ValueMismatch` with the place of a number that is not whole.
    public init(_ members: [JSON.Member]) throws(ValueMismatch) {
        var fields: [Field] = []
        fields.reserveCapacity(members.count)
        for member in members {
            do { fields.append(Field(member.name, try Value(member.value))) } catch { throw error.under(member.name) }
        }
        self = .record(fields)
    }

    /// The same value as JSON.
    public var json: JSON {
        switch self {
        case .null: .null
        case .bool(let flag): .bool(flag)
        case .int(let number): .int(number)
        case .text(let text): .string(text)
        case .list(let values): .array(values.map(\.json))
        case .record(let fields): .object(fields.map { JSON.Member(name: $0.name, value: $0.value.json) })
        }
    }

    /// Appends the value as JSON, without a tree in between.
    public func write(into bytes: inout [UInt8]) {
        switch self {
        case .null: bytes.append(contentsOf: "null".utf8)
        case .bool(let flag): bytes.append(contentsOf: flag ? "true".utf8 : "false".utf8)
        case .int(let number): JSON.write(number, into: &bytes)
        case .text(let text): JSON.write(text, into: &bytes)
        case .list(let values):
            bytes.append(UInt8(ascii: "["))
            for (index, value) in values.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                value.write(into: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .record(let fields):
            bytes.append(UInt8(ascii: "{"))
            for (index, field) in fields.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                JSON.write(field.name, into: &bytes)
                bytes.append(UInt8(ascii: ":"))
                field.value.write(into: &bytes)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }
}
