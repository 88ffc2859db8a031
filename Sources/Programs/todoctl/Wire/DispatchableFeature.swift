import TodoAPI
import Varlink

/// A feature with its actions, as described by the daemon.
struct DispatchableFeature {
    struct Action {
        let name: String
        let documentation: String
        let example: Value

        var member: Value.Field {
            Value.Field(name, ["documentation": .text(documentation), "example": example])
        }
    }

    let name: String
    let documentation: String
    let actions: [Action]
    /// Whether the app has only this feature, so that actions do not contain its name.
    let isOnly: Bool

    static func all(of client: Client) throws(Failure) -> [DispatchableFeature] {
        let names = try client.service().interfaces.filter { $0.hasPrefix(APIError.featurePrefix) }
        var features: [DispatchableFeature] = []
        for name in names {
            features.append(DispatchableFeature(name, try client.description(of: name), isOnly: names.count == 1))
        }
        return features
    }

    init(_ interfaceName: String, _ interface: InterfaceDescription, isOnly: Bool) {
        let capitalised = interfaceName.dropFirst(APIError.featurePrefix.count)
        let name = capitalised.prefix(1).lowercased() + capitalised.dropFirst()
        (self.name, self.isOnly) = (name, isOnly)
        documentation = interface.documentation.joined(separator: " ")
        guard case .structure(let cases)? = interface.types.first(where: { $0.name == "Action" })?.type else {
            actions = []
            return
        }
        actions = cases.map { field in
            let action = Value.record([.init(field.name, Self.example(field.type, isAction: true))])
            return Action(
                name: field.name, documentation: field.documentation.joined(separator: " "),
                example: isOnly ? action : .record([.init(name, action)]))
        }
    }

    // The required fields that the daemon does not fill in. For an action without any, its id.
    private static func example(_ type: InterfaceType, isAction: Bool = false) -> Value {
        switch type {
        case .bool: .bool(true)
        case .int: .int(1)
        case .float: .double(1)
        case .string: .text("text")
        case .optional(let type): example(type, isAction: isAction)
        case .array(let type): .list([example(type)])
        case .map(let type): ["name": example(type)]
        case .structure(let fields):
            .record(
                fields.enumerated().filter { index, field in
                    !field.isOptional && field.documentation.last != Interfaces.filledIn
                        || isAction && index == 0 && field.name == "id" && fields.allSatisfy(\.isOptional)
                }.map { _, field in .init(field.name, example(field.type)) })
        default: [:]
        }
    }
}

extension InterfaceNames {
    /// The interfaces in the reply of `GetInfo`, with todod's prefix.
    static func interfaces(info: [Value.Field]) -> [String] {
        (info["interfaces"]?.list ?? []).compactMap(\.text).map((InterfaceNames(info: info) ?? InterfaceNames()).own)
    }
}

extension Client {
    /// The name and version of the daemon, and its interfaces with todod's prefix.
    func service() throws(Failure) -> (program: String, version: String, interfaces: [String]) {
        let info = try call(Call.frame("org.varlink.service.GetInfo", parameters: Array("{}".utf8)))
        let (program, version) = (info["product"]?.text ?? "todod", info["version"]?.text ?? "")
        return (Visible.text(program), Visible.text(version), InterfaceNames.interfaces(info: info))
    }

    /// The errors that the daemon's features declare.
    func refusals() throws(Failure) -> [ErrorDescription] {
        var refusals: [ErrorDescription] = []
        for name in try service().interfaces where (name + ".").hasPrefix(APIError.featurePrefix) {
            refusals += try description(of: name).errors.map { ErrorDescription($0, of: name, names) }
        }
        return refusals
    }

    func description(of interface: String) throws(Failure) -> InterfaceDescription {
        let parameters = (["interface": .text(interface)] as Value).jsonBytes
        let answer = try call(Call.frame("org.varlink.service.GetInterfaceDescription", parameters: parameters))
        let text = answer.first { $0.name == "description" }?.value.text ?? ""
        do { return try InterfaceDescription(parsing: text) } catch {
            let (name, reason) = (Visible.text(interface), Visible.text(error.message))
            throw Failure(.inputOutput, "The daemon's description of \(name) can't be read: \(reason)")
        }
    }
}
