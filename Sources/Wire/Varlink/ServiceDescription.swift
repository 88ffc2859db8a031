/// Who a service is and which interfaces it has; answers `org.varlink.service` and checks calls against the descriptions.
public struct ServiceDescription: Sendable {
    /// What is to be done with a call.
    public enum Verdict: Sendable, Equatable {
        /// It is answered: the parameters of the reply as JSON text.
        case answer([UInt8])
        /// It is refused.
        case refusal(CallError)
        /// It fits the description of its method, which is one of the service's own.
        case pass
    }

    /// The interfaces, `org.varlink.service` first.
    public let interfaces: [InterfaceDescription]

    private let information: [UInt8]
    private let positions: [String: Int]
    private let methods: [String: Place]

    /// Where a method is described, under its full name, so that a call is checked after one look.
    private struct Place {
        var interface: Int
        var method: InterfaceDescription.Method
    }

    /// Names a service.
    ///
    /// - Parameter interfaces: the texts of the service's own interfaces, served byte for byte.
    /// - Throws: where a text is wrong; an interface that is given twice.
    public init(
        vendor: String, product: String, version: String, url: String, interfaces texts: [String]
    ) throws(InterfaceError) {
        var interfaces: [InterfaceDescription] = []
        var positions: [String: Int] = [:]
        for text in [Self.text] + texts {
            let interface = try InterfaceDescription(parsing: text, comments: .dropped)
            guard positions.updateValue(interfaces.count, forKey: interface.name) == nil else {
                throw InterfaceError(line: 1, message: "\(interface.name) is described twice")
            }
            interfaces.append(interface)
        }
        self.interfaces = interfaces
        self.positions = positions
        var methods: [String: Place] = [:]
        for (position, interface) in interfaces.enumerated() {
            for method in interface.methods {
                methods[interface.name + "." + method.name] = Place(interface: position, method: method)
            }
        }
        self.methods = methods
        let information: Value = [
            "vendor": .text(vendor), "product": .text(product), "version": .text(version), "url": .text(url),
            "interfaces": .list(interfaces.map { .text($0.name) }),
        ]
        self.information = information.jsonBytes
    }

    /// Judges a call: interface, method and parameters must be described, and there is nothing to upgrade to.
    public func verdict(on call: Call) -> Verdict {
        if call.upgrade { return .refusal(.invalidParameter("upgrade")) }
        guard let place = methods[call.method] else {
            let isKnown = positions[String(call.interface)] != nil
            return .refusal(isKnown ? .methodNotFound(call.method) : .interfaceNotFound(String(call.interface)))
        }
        if let path = interfaces[place.interface].mismatch(of: call.parameters, with: place.method.input) {
            return .refusal(.invalidParameter(path))
        }
        guard place.interface == 0 else { return .pass }
        return place.method.name == "GetInfo" ? .answer(information) : describe(call)
    }

    private func describe(_ call: Call) -> Verdict {
        let name = call.parameters["interface"]?.text ?? ""
        guard name.utf8.count <= JSONLimits.nameBytesMax else { return .refusal(.invalidParameter("interface")) }
        guard let position = positions[name] else {
            return .refusal(.interfaceNotFound(name))
        }
        var parameters: [UInt8] = []
        JSON.write([.init("description", .text(interfaces[position].text))], into: &parameters)
        return .answer(parameters)
    }
}
