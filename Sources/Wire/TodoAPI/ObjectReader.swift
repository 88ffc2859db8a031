import Reducing
import Varlink

/// Reads typed fields out of the members of a JSON object.
///
/// An absent field and a null are the same. Every error names the field, with the fields above it: `from.sequence`.
public struct ObjectReader: Sendable {
    /// What to do with a field that the interface does not have.
    public enum UnknownFields: Sendable {
        /// It is an error: what a client sent must be understood wholly.
        case refused
        /// It is passed over: the daemon may be newer.
        case ignored
    }

    let members: [Value.Field]
    private let path: String
    private let unknownFields: UnknownFields

    init(_ members: [Value.Field], path: String = "", unknownFields: UnknownFields) {
        self.members = members
        self.path = path
        self.unknownFields = unknownFields
    }

    /// Reads a whole message.
    func message<Element: Message>() throws(APIError) -> Element {
        if unknownFields == .refused {
            for member in members where !Element.fieldNames.contains(where: { $0.hasSameBytes(as: member.name) }) {
                throw invalid(member.name)
            }
        }
        return try Element(self)
    }

    func value(_ name: String) -> Value? {
        for member in members where member.name.hasSameBytes(as: name) && !member.value.isNull { return member.value }
        return .none
    }

    func optionalInteger<Number: FixedWidthInteger>(_ name: String) throws(APIError) -> Number? {
        switch value(name) {
        case nil: return nil
        case .int(let raw):
            guard raw.magnitude <= Int64.exactMax.magnitude, let number = Number(exactly: raw) else { throw invalid(name) }
            return number
        default: throw invalid(name)
        }
    }

    func integer<Number: FixedWidthInteger>(_ name: String) throws(APIError) -> Number {
        guard let number: Number = try optionalInteger(name) else { throw invalid(name) }
        return number
    }

    func optionalFlag(_ name: String) throws(APIError) -> Bool? {
        switch value(name) {
        case nil: return nil
        case .bool(let flag): return flag
        default: throw invalid(name)
        }
    }

    func flag(_ name: String) throws(APIError) -> Bool {
        guard let flag = try optionalFlag(name) else { throw invalid(name) }
        return flag
    }

    func optionalText(_ name: String) throws(APIError) -> String? {
        switch value(name) {
        case nil: return nil
        case .text(let text): return text
        default: throw invalid(name)
        }
    }

    func text(_ name: String) throws(APIError) -> String {
        guard let text = try optionalText(name) else { throw invalid(name) }
        return text
    }

    func list(_ name: String) throws(APIError) -> [Value]? {
        switch value(name) {
        case nil: return nil
        case .list(let elements): return elements
        default: throw invalid(name)
        }
    }

    func integers(_ name: String) throws(APIError) -> [UInt64] {
        guard let elements = try list(name) else { throw invalid(name) }
        var numbers: [UInt64] = []
        numbers.reserveCapacity(elements.count)
        for (index, element) in elements.enumerated() {
            guard let raw = element.int, raw <= Int64.exactMax, let number = UInt64(exactly: raw) else {
                throw invalid("\(name)[\(index)]")
            }
            numbers.append(number)
        }
        return numbers
    }

    func texts(_ name: String) throws(APIError) -> [String] {
        guard let elements = try list(name) else { throw invalid(name) }
        var texts: [String] = []
        texts.reserveCapacity(elements.count)
        for element in elements {
            guard case .text(let text) = element else { throw invalid(name) }
            texts.append(text)
        }
        return texts
    }

    /// Actions as they are dispatched, which are not yet those of any feature.
    func actions(_ name: String) throws(APIError) -> [Value] {
        guard let elements = try list(name) else { throw invalid(name) }
        for (index, element) in elements.enumerated() where element.record == nil { throw invalid("\(name)[\(index)]") }
        return elements
    }

    func optionalRecord(_ name: String) throws(APIError) -> Value? {
        let value = value(name)
        guard value == nil || value?.record != nil else { throw invalid(name) }
        return value
    }

    func record(_ name: String) throws(APIError) -> Value {
        guard let record = try optionalRecord(name) else { throw invalid(name) }
        return record
    }

    func records(_ name: String) throws(APIError) -> [Value] {
        guard let elements = try list(name), elements.allSatisfy({ $0.record != nil }) else { throw invalid(name) }
        return elements
    }

    func optionalTexts(_ name: String) throws(APIError) -> [String]? {
        try list(name) == nil ? nil : try texts(name)
    }

    func optionalIntegers(_ name: String) throws(APIError) -> [UInt64]? {
        try list(name) == nil ? nil : try integers(name)
    }

    func optionalRecords(_ name: String) throws(APIError) -> [Value]? {
        try list(name) == nil ? nil : try records(name)
    }

    func message<Element: Message>(_ name: String) throws(APIError) -> Element {
        guard let message: Element = try optionalMessage(name) else { throw invalid(name) }
        return message
    }

    func optionalMessage<Element: Message>(_ name: String) throws(APIError) -> Element? {
        switch value(name) {
        case nil: return nil
        case .record(let members): return try message(members, at: name)
        default: throw invalid(name)
        }
    }

    func optionalMessages<Element: Message>(_ name: String) throws(APIError) -> [Element]? {
        guard let elements = try list(name) else { return nil }
        var messages: [Element] = []
        messages.reserveCapacity(elements.count)
        for (index, element) in elements.enumerated() {
            guard case .record(let members) = element else { throw invalid("\(name)[\(index)]") }
            messages.append(try message(members, at: "\(name)[\(index)]"))
        }
        return messages
    }

    func messages<Element: Message>(_ name: String) throws(APIError) -> [Element] {
        guard let messages: [Element] = try optionalMessages(name) else { throw invalid(name) }
        return messages
    }

    /// The error for a field of these members.
    func invalid(_ name: String) -> APIError {
        .invalidParameter(path.isEmpty ? name : path + "." + name)
    }

    private func message<Element: Message>(_ members: [Value.Field], at name: String) throws(APIError) -> Element {
        try ObjectReader(members, path: path.isEmpty ? name : path + "." + name, unknownFields: unknownFields).message()
    }
}
