import Foundation
import Values

/// How a message of protobuf is written as JSON, by the numbers of its fields; members' gateways write the same.
indirect enum MessageForm: Sendable {
    case bytes, number, truth
    /// One of some, by its number.
    case name([String])
    case message([UInt64: (name: String, form: MessageForm)])
    case list(MessageForm)

    /// What a message says.
    func value(of message: ArraySlice<UInt8>) -> Value {
        guard case .message(let fields) = self else { return .null }
        var found: [Value.Field] = []
        var rest = message
        while !rest.isEmpty {
            let tag = Self.varint(&rest)
            let length = Self.varint(&rest)
            let isNumber = tag & 7 == 0
            let content = isNumber ? [] : rest.prefix(Int(length))
            rest = rest.dropFirst(content.count)
            guard let field = fields[tag >> 3] else { continue }
            let value = isNumber ? field.form.value(of: length) : field.form.value(ofContent: content)
            guard case .list = field.form else {
                found.append(.init(field.name, value))
                continue
            }
            if let at = found.firstIndex(where: { $0.name == field.name }) {
                found[at].value = .list((found[at].value.list ?? []) + [value])
            } else {
                found.append(.init(field.name, .list([value])))
            }
        }
        return .record(found)
    }

    private func value(of number: UInt64) -> Value {
        switch self {
        case .truth: .bool(number != 0)
        case .name(let names): .text(names[Int(number)])
        default: .text("\(Int64(bitPattern: number))")
        }
    }

    private func value(ofContent content: ArraySlice<UInt8>) -> Value {
        switch self {
        case .bytes: .text(Data(content).base64EncodedString())
        case .list(let form): form.value(ofContent: content)
        default: value(of: content)
        }
    }

    /// The message that says something.
    func message(of value: Value) -> [UInt8] {
        guard case .message(let fields) = self else { return [] }
        var bytes: [UInt8] = []
        for (number, field) in fields.sorted(by: { $0.key < $1.key }) {
            guard let said = value[field.name] else { continue }
            for one in said.list ?? [said] { field.form.write(one, number, to: &bytes) }
        }
        return bytes
    }

    private func write(_ value: Value, _ field: UInt64, to bytes: inout [UInt8]) {
        func number(_ number: UInt64) { bytes += Self.varint(field << 3) + Self.varint(number) }
        func content(_ content: [UInt8]) { bytes += Self.varint(field << 3 | 2) + Self.varint(UInt64(content.count)) + content }
        switch self {
        case .bytes: content(Array(Data(base64Encoded: value.text ?? "") ?? Data()))
        case .number:
            let text = value.text ?? value.int.map { "\($0)" } ?? ""
            number(UInt64(text) ?? Int64(text).map { UInt64(bitPattern: $0) } ?? 0)
        case .truth: number(value.bool == true ? 1 : 0)
        case .name(let names): number(UInt64(names.firstIndex(of: value.text ?? "") ?? 0))
        case .message: content(message(of: value))
        case .list(let form): form.write(value, field, to: &bytes)
        }
    }

    private static func varint(_ rest: inout ArraySlice<UInt8>) -> UInt64 {
        var (value, shift) = (UInt64(0), UInt64(0))
        while let byte = rest.popFirst() {
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { break }
            shift += 7
        }
        return value
    }

    private static func varint(_ value: UInt64) -> [UInt8] {
        var (bytes, rest) = ([UInt8](), value)
        while rest >= 0x80 {
            bytes.append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        return bytes + [UInt8(rest)]
    }
}

// As etcd's rpc.proto and kv.proto have them.
extension MessageForm {
    static let transaction = message([
        1: ("compare", .list(comparison)), 2: ("success", .list(operation)), 3: ("failure", .list(operation)),
    ])
    static let transactionAnswer = message([
        1: ("header", header), 2: ("succeeded", .truth),
        3: (
            "responses",
            .list(
                message([
                    1: ("response_range", rangeAnswer), 2: ("response_put", message([1: ("header", header)])),
                    3: ("response_delete_range", message([1: ("header", header), 2: ("deleted", .number)])),
                ]))
        ),
    ])

    private static let comparison = message([
        1: ("result", .name(["EQUAL", "GREATER", "LESS", "NOT_EQUAL"])),
        2: ("target", .name(["VERSION", "CREATE", "MOD", "VALUE", "LEASE"])), 3: ("key", .bytes), 5: ("create_revision", .number),
        6: ("mod_revision", .number), 7: ("value", .bytes), 64: ("range_end", .bytes),
    ])
    private static let operation = message([
        1: (
            "request_range",
            message([
                1: ("key", .bytes), 2: ("range_end", .bytes), 3: ("limit", .number),
                5: ("sort_order", .name(["NONE", "ASCEND", "DESCEND"])),
                6: ("sort_target", .name(["KEY", "VERSION", "CREATE", "MOD", "VALUE"])),
            ])
        ),
        2: ("request_put", message([1: ("key", .bytes), 2: ("value", .bytes), 3: ("lease", .number)])),
        3: ("request_delete_range", message([1: ("key", .bytes), 2: ("range_end", .bytes)])),
    ])
    private static let header = message([
        1: ("cluster_id", .number), 2: ("member_id", .number), 3: ("revision", .number), 4: ("raft_term", .number),
    ])
    private static let rangeAnswer = message([
        1: ("header", header),
        2: (
            "kvs",
            .list(
                message([
                    1: ("key", .bytes), 2: ("create_revision", .number), 3: ("mod_revision", .number), 4: ("version", .number),
                    5: ("value", .bytes), 6: ("lease", .number),
                ]))
        ), 3: ("more", .truth), 4: ("count", .number),
    ])
}
