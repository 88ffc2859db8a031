import Varlink

/// Writes what a service must do for the methods of interfaces: a requirement for each, who may call it, and the way from its name to it.
struct HandlerWriter {
    private(set) var text = ""

    /// Writes the methods of all interfaces.
    mutating func write(_ interfaces: [InterfaceDescription]) throws(GeneratorError) {
        let methods = interfaces.flatMap(\.methods)
        line()
        line("/// What a service does for each method of the interfaces.")
        line("public protocol MethodHandlers {")
        line("    /// Who calls.")
        line("    associatedtype Peer")
        line("    /// Where a call is answered.")
        line("    associatedtype Reply")
        for method in methods {
            line("    /// Answers `\(method.name)`, now or later.")
            line(
                "    func \(handler(of: method))(_ input: \(method.name)Method.Input, from peer: Peer, _ reply: Reply) throws(APIError)"
            )
        }
        line("}")
        line()
        line("extension MethodHandlers {")
        line("    /// Reads the parameters of a call and has the handler of its method answer it.")
        line("    ///")
        line("    /// - Precondition: the method is one of `MethodRight.needed`.")
        line(
            "    public func perform(_ method: String, _ parameters: [JSON.Member], from peer: Peer, _ reply: Reply) throws(APIError) {"
        )
        line("        switch method {")
        for method in methods {
            line(
                "        case \(method.name)Method.name: try \(handler(of: method))(.init(input: parameters), from: peer, reply)")
        }
        line("        default: preconditionFailure(method)")
        line("        }")
        line("    }")
        line("}")
        line()
        line("extension MethodRight {")
        line("    /// The right that each method needs, by its full name.")
        line("    public static let needed: [String: MethodRight] = [")
        for method in methods { line("        \(method.name)Method.name: .\(try right(of: method)),") }
        line("    ]")
        line("}")
    }

    private func handler(of method: InterfaceDescription.Method) -> String {
        let name = method.name.prefix(1).lowercased() + method.name.dropFirst()
        return name == "import" ? "`import`" : name
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

    private mutating func line(_ content: String = "") { text += content + "\n" }
}
