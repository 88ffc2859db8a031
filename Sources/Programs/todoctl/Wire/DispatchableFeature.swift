import Varlink

/// A feature as the daemon describes it.
struct DispatchableFeature {
    struct Action {
        let name: String
        let documentation: String
        /// An action with its required fields.
        let example: Value

        /// By name, its description and the example.
        var member: Value.Field {
            Value.Field(name, ["documentation": .text(documentation), "example": example])
        }
    }

    static let prefix = "org.todod.feature."

    let name: String
    let documentation: String
    let actions: [Action]
    /// Whether the daemon's app is this feature alone, so that actions stand under no feature's name.
    let isOnly: Bool

    /// Asks a daemon for its features.
    static func all(of client: Client) throws(Failure) -> [DispatchableFeature] {
        let info = try client.call(Call.frame("org.varlink.service.GetInfo", parameters: Array("{}".utf8)))
        let names =
            info.first { $0.name == "interfaces" }?.value.list?.compactMap(\.text).filter { $0.hasPrefix(prefix) } ?? []
        var features: [DispatchableFeature] = []
        for name in names {
            features.append(DispatchableFeature(try client.description(of: name), isOnly: names.count == 1))
        }
        return features
    }

    private init(_ interface: InterfaceDescription, isOnly: Bool) {
        let capitalised = interface.name.dropFirst(Self.prefix.count)
        let name = capitalised.prefix(1).lowercased() + capitalised.dropFirst()
        self.name = name
        self.isOnly = isOnly
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

    // What fits a type; of an action the fields that must be there, or the first where none must, which says what it is about.
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
                    !field.isOptional || isAction && index == 0 && field.name == "id" && fields.allSatisfy(\.isOptional)
                }.map { _, field in .init(field.name, example(field.type)) })
        default: [:]
        }
    }
}

extension Client {
    /// An interface as the daemon describes it.
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
