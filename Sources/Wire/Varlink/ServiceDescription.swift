public import ChronicleValues
public import VarlinkInterfaces

/// Describes a service and its interfaces; answers `org.varlink.service` and validates calls.
public struct ServiceDescription: Sendable {
    public enum Validation: Sendable, Equatable {
        /// Answered by the service description, with the parameters of the reply as JSON text.
        case answer([UInt8])
        case refusal(CallError)
        /// Valid, and to be handled by the service.
        case pass
    }

    /// All interfaces, starting with `org.varlink.service`.
    public let interfaces: [InterfaceDescription]

    /// The standard interface of every Varlink service, as varlink.org defines it.
    public static let text = String(decoding: PackageResources.org_varlink_service_varlink, as: UTF8.self)
    private let information: [UInt8]
    private let positions: [String: Int]
    /// The methods by their qualified names, each with the index of its interface, so that validating a call needs one lookup.
    private let methods: [String: (interface: Int, method: InterfaceDescription.Method)]

    /// Parses the interfaces of a service.
    /// - Parameter interfaces: the texts of the service's own interfaces, served byte for byte.
    /// - Throws: a mistake in a text, or an interface that is given twice.
    public init(
        vendor: String, product: String, version: String, url: String, interfaces texts: [String]
    ) throws(InterfaceError) {
        var interfaces: [InterfaceDescription] = []
        var positions: [String: Int] = [:]
        var methods: [String: (interface: Int, method: InterfaceDescription.Method)] = [:]
        for text in [Self.text] + texts {
            let interface = try InterfaceDescription(parsing: text, comments: .dropped)
            let position = interfaces.count
            guard positions.updateValue(position, forKey: interface.name) == nil else {
                throw InterfaceError(line: 1, message: "\(interface.name) is described twice")
            }
            for method in interface.methods { methods[interface.name + "." + method.name] = (position, method) }
            interfaces.append(interface)
        }
        (self.interfaces, self.positions, self.methods) = (interfaces, positions, methods)
        let information: Value = [
            "vendor": .text(vendor), "product": .text(product), "version": .text(version), "url": .text(url),
            "interfaces": .list(interfaces.map { .text($0.name) }),
        ]
        self.information = information.jsonBytes
    }

    /// Validates a call: interface, method and parameters must match a description, and `upgrade` is not supported.
    public func validate(_ call: Call) -> Validation {
        if call.upgrade { return .refusal(.invalidParameter("upgrade")) }
        guard let entry = methods[call.method] else {
            let isKnown = positions[String(call.interface)] != nil
            return .refusal(isKnown ? .methodNotFound(call.method) : .interfaceNotFound(String(call.interface)))
        }
        if let path = interfaces[entry.interface].mismatch(of: call.parameters, with: entry.method.input) {
            return .refusal(.invalidParameter(path))
        }
        guard entry.interface == 0 else { return .pass }
        return entry.method.name == "GetInfo" ? .answer(information) : describe(call)
    }

    private func describe(_ call: Call) -> Validation {
        let name = call.parameters["interface"]?.text ?? ""
        guard name.utf8.count <= JSONLimits.nameBytesMax else { return .refusal(.invalidParameter("interface")) }
        guard let position = positions[name] else { return .refusal(.interfaceNotFound(name)) }
        return .answer((["description": .text(interfaces[position].text)] as Value).jsonBytes)
    }
}

extension InterfaceDescription {
    /// Returns the path of the first value that doesn't match its field, such as `actions[2].id`; nil if all values match.
    ///
    /// An optional field may be omitted. An unknown field is a mismatch.
    public func mismatch(of members: [Value.Field], with fields: [Field]) -> String? {
        var missing = fields.count
        for member in members {
            guard let field = fields.first(where: { $0.name == member.name }) else { return member.name }
            missing -= 1
            guard let path = mismatch(of: member.value, with: field.type) else { continue }
            // An unknown name is reported first, because it explains more than a wrong type.
            return members.first { member in !fields.contains { $0.name == member.name } }?.name ?? field.name + path
        }
        if missing == 0 { return nil }
        return fields.first { !$0.isOptional && members[$0.name] == nil }?.name
    }

    /// Returns the rest of the path to the first mismatch, after the name of the value; empty if the value itself doesn't match.
    private func mismatch(of value: Value, with type: InterfaceType) -> String? {
        switch (type, value) {
        case (.bool, .bool), (.int, .int), (.float, .int), (.float, .double), (.string, .text), (.object, .record): return nil
        case (.optional(let wrapped), _): return value.isNull ? nil : mismatch(of: value, with: wrapped)
        case (.array(let element), .list(let values)):
            for (index, value) in values.enumerated() {
                if let path = mismatch(of: value, with: element) { return "[\(index)]" + path }
            }
            return nil
        case (.map(let element), .record(let members)):
            for member in members {
                if let path = mismatch(of: member.value, with: element) { return ".\(member.name)" + path }
            }
            return nil
        case (.structure(let fields), .record(let members)): return mismatch(of: members, with: fields).map { "." + $0 }
        case (.enumeration(let names), .text(let name)): return names.contains(name) ? nil : ""
        case (.named(let name), _):
            guard let type = self.type(named: name) else { return "" }
            return mismatch(of: value, with: type)
        default: return ""
        }
    }
}
