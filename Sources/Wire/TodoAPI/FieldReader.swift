import Reducing
import Varlink

/// Reads typed fields out of the members of a JSON object.
///
/// An absent field and a null are the same. Every error names the field, with the fields above it: `from.sequence`.
public struct FieldReader: Sendable {
    /// What to do with a field that the interface does not have.
    public enum UnknownFields: Sendable {
        /// It is an error: what a client sent must be understood wholly.
        case refused
        /// It is passed over: the daemon may be newer.
        case ignored
    }

    let members: [JSON.Member]
    private let path: String
    private let unknownFields: UnknownFields

    init(_ members: [JSON.Member], path: String = "", unknownFields: UnknownFields) {
        self.members = members
        self.path = path
        self.unknownFields = unknownFields
    }

    /// Reads a whole message.
    func message<Element: Message>() throws(APIError) -> Element {
        if unknownFields == .refused {
            for member in members where !Element.fieldNames.contains(member.name) { throw invalid(member.name) }
        }
        return try Element(self)
    }

    func value(_ name: String) -> JSON? {
        for member in members where member.name == name && !member.value.isNull { return member.value }
        return .none
    }

    func optionalInteger<Number: FixedWidthInteger>(_ name: String) throws(APIError) -> Number? {
        switch value(name) {
        case nil: return nil
        case .int(let raw):
            guard raw.magnitude < 1 << 53, let number = Number(exactly: raw) else { throw invalid(name) }
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
        case .string(let text): return text
        default: throw invalid(name)
        }
    }

    func text(_ name: String) throws(APIError) -> String {
        guard let text = try optionalText(name) else { throw invalid(name) }
        return text
    }

    func array(_ name: String) throws(APIError) -> [JSON]? {
        switch value(name) {
        case nil: return nil
        case .array(let elements): return elements
        default: throw invalid(name)
        }
    }

    func integers(_ name: String) throws(APIError) -> [UInt64] {
        guard let elements = try array(name) else { throw invalid(name) }
        var numbers: [UInt64] = []
        numbers.reserveCapacity(elements.count)
        for element in elements {
            guard case .int(let raw) = element, let number = UInt64(exactly: raw) else { throw invalid(name) }
            numbers.append(number)
        }
        return numbers
    }

    func texts(_ name: String) throws(APIError) -> [String] {
        guard let elements = try array(name) else { throw invalid(name) }
        var texts: [String] = []
        texts.reserveCapacity(elements.count)
        for element in elements {
            guard case .string(let text) = element else { throw invalid(name) }
            texts.append(text)
        }
        return texts
    }

    /// Actions as they are dispatched, which are not yet those of any feature.
    ///
    /// - Throws: `APIError.badAction` for a number that is not whole.
    func actions(_ name: String) throws(APIError) -> [Value] {
        guard let elements = try array(name) else { throw invalid(name) }
        var actions: [Value] = []
        actions.reserveCapacity(elements.count)
        for (index, element) in elements.enumerated() {
            guard case .object(let members) = element else { throw invalid("\(name)[\(index)]") }
            do { actions.append(try Value(members)) } catch { throw .badAction(error, action: index) }
        }
        return actions
    }

    /// The members of an object, as a record.
    func optionalRecord(_ name: String) throws(APIError) -> Value? {
        switch value(name) {
        case nil: return nil
        case .object(let members):
            do { return try Value(members) } catch { throw invalid(error.under(name).path) }
        default: throw invalid(name)
        }
    }

    func record(_ name: String) throws(APIError) -> Value {
        guard let record = try optionalRecord(name) else { throw invalid(name) }
        return record
    }

    func records(_ name: String) throws(APIError) -> [Value] {
        guard let elements = try array(name) else { throw invalid(name) }
        var records: [Value] = []
        for element in elements {
            guard case .object(let members) = element else { throw invalid(name) }
            do { records.append(try Value(members)) } catch { throw invalid(error.under(name).path) }
        }
        return records
    }

    func optionalTexts(_ name: String) throws(APIError) -> [String]? {
        try array(name) == nil ? nil : try texts(name)
    }

    func optionalIntegers(_ name: String) throws(APIError) -> [UInt64]? {
        try array(name) == nil ? nil : try integers(name)
    }

    func optionalRecords(_ name: String) throws(APIError) -> [Value]? {
        try array(name) == nil ? nil : try records(name)
    }

    func message<Element: Message>(_ name: String) throws(APIError) -> Element {
        guard let message: Element = try optionalMessage(name) else { throw invalid(name) }
        return message
    }

    func optionalMessage<Element: Message>(_ name: String) throws(APIError) -> Element? {
        switch value(name) {
        case nil: return nil
        case .object(let members): return try message(members, at: name)
        default: throw invalid(name)
        }
    }

    func optionalMessages<Element: Message>(_ name: String) throws(APIError) -> [Element]? {
        guard let elements = try array(name) else { return nil }
        var messages: [Element] = []
        messages.reserveCapacity(elements.count)
        for (index, element) in elements.enumerated() {
            guard case .object(let members) = element else { throw invalid("\(name)[\(index)]") }
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

    private func message<Element: Message>(_ members: [JSON.Member], at name: String) throws(APIError) -> Element {
        try FieldReader(members, path: path.isEmpty ? name : path + "." + name, unknownFields: unknownFields).message()
    }
}
