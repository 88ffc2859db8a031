import VarlinkInterfaces

/// Writes what a service must do for the methods of interfaces: a requirement for each, who may call it, and the way from its name to it.
struct HandlerWriter {
    private(set) var swift = SwiftText()

    /// Writes the methods of all interfaces.
    mutating func write(_ interfaces: [InterfaceDescription]) throws(GeneratorError) {
        let methods = interfaces.flatMap(\.methods)
        swift.line()
        swift.line("/// What a service does for each method of the interfaces.")
        swift.line("public protocol MethodHandlers {")
        swift.line("    /// Who calls.")
        swift.line("    associatedtype Peer")
        swift.line("    /// Where a call is answered.")
        swift.line("    associatedtype Reply")
        for method in methods {
            swift.line("    /// Answers `\(method.name)`, now or later.")
            swift.line(
                "    func \(SwiftText.lowercased(method.name))(_ input: \(method.name)Method.Input, from peer: Peer, _ reply: Reply) throws(APIError)"
            )
        }
        swift.line("}")
        swift.line()
        swift.line("extension MethodHandlers {")
        swift.line("    /// Reads the parameters of a call and has the handler of its method answer it.")
        swift.line(
            "    public func perform(_ method: KnownMethod, _ parameters: [Value.Field], from peer: Peer, _ reply: Reply) throws(APIError) {"
        )
        swift.line("        switch method {")
        for method in methods {
            let name = SwiftText.lowercased(method.name)
            swift.line("        case .\(name): try \(name)(.init(input: parameters), from: peer, reply)")
        }
        swift.line("        }")
        swift.line("    }")
        swift.line("}")
        swift.line()
        swift.line("/// The methods of the interfaces, so that a name is looked up once.")
        swift.line("public enum KnownMethod: Sendable, CaseIterable {")
        for method in methods { swift.line("    case \(SwiftText.lowercased(method.name))") }
        swift.line()
        swift.line("    /// Each by its full name.")
        swift.line("    public static let named: [String: KnownMethod] = [")
        for method in methods { swift.line("        \(method.name)Method.name: .\(SwiftText.lowercased(method.name)),") }
        swift.line("    ]")
        swift.line()
        swift.line("    /// The right that it needs.")
        swift.line("    public var right: MethodRight {")
        swift.line("        switch self {")
        for method in methods { swift.line("        case .\(SwiftText.lowercased(method.name)): .\(try right(of: method))") }
        swift.line("        }")
        swift.line("    }")
        swift.line("}")
    }

    /// The right that the last line of a method's comment names.
    ///
    /// - Throws: where there is none, because a right that was forgotten would be one that everybody has.
    private func right(of method: InterfaceDescription.Method) throws(GeneratorError) -> String {
        for right in ["read", "write", "administer"] where method.documentation.last == "Needs the right to \(right)." {
            return right
        }
        throw GeneratorError(
            "\(method.name): the last line above it must say \"Needs the right to read.\", to write or to administer")
    }
}
