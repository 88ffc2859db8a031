import Varlink

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
        swift.line("    ///")
        swift.line("    /// - Precondition: the method is one of `MethodRight.needed`.")
        swift.line(
            "    public func perform(_ method: String, _ parameters: [JSON.Member], from peer: Peer, _ reply: Reply) throws(APIError) {"
        )
        swift.line("        switch method {")
        for method in methods {
            swift.line(
                "        case \(method.name)Method.name: try \(SwiftText.lowercased(method.name))(.init(input: parameters), from: peer, reply)"
            )
        }
        swift.line("        default: preconditionFailure(method)")
        swift.line("        }")
        swift.line("    }")
        swift.line("}")
        swift.line()
        swift.line("extension MethodRight {")
        swift.line("    /// The right that each method needs, by its full name.")
        swift.line("    public static let needed: [String: MethodRight] = [")
        for method in methods { swift.line("        \(method.name)Method.name: .\(try right(of: method)),") }
        swift.line("    ]")
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
