import VarlinkInterfaces

/// Writes a protocol with a handler for each method of interfaces, the dispatch by name, and the right that each method needs.
struct HandlerWriter {
    let methods: [InterfaceDescription.Method]

    @Lines func lines() throws(GeneratorError) -> [String] {
        let rest = "from peer: Peer, _ reply: Reply) throws(APIError)"
        let rights = try methods.map(right)
        let names = methods.map { SwiftText.lowercased($0.name) }
        "\n/// The handlers of the methods of the interfaces, which answer now or later."
        SwiftText.block("public protocol MethodHandlers") {
            "associatedtype Peer\nassociatedtype Reply"
            for (name, method) in zip(names, methods) { "func \(name)(_ input: \(method.name)Method.Input, \(rest)" }
        }
        ""
        SwiftText.block("extension MethodHandlers") {
            "/// Reads the parameters of a call and calls the handler of its method."
            let declaration = "public func perform(_ method: KnownMethod, _ parameters: [Value.Field], \(rest)"
            SwiftText.choosing(declaration, by: "method") {
                for name in names { "case .\(name): try \(name)(.init(input: parameters), from: peer, reply)" }
            }
        }
        "\n/// The methods of the interfaces. A service looks up a name once."
        SwiftText.block("public enum KnownMethod: Sendable, CaseIterable") {
            for name in names { "case \(name)" }
            "/// The methods by their full names."
            "public static let named: [String: KnownMethod] = ["
            for (name, method) in zip(names, methods) { "\(method.name)Method.name: .\(name)," }
            "]"
            "/// The right that a call needs, whatever its parameters are."
            SwiftText.choosing("public var right: MethodRight") {
                for (name, right) in zip(names, rights) { "case .\(name): .\(right)" }
            }
        }
    }

    /// The right that the last line of a method's comment names; throws if it names none, because any peer could call that method.
    private func right(of method: InterfaceDescription.Method) throws(GeneratorError) -> String {
        for right in ["read", "write", "administer"] where method.documentation.last == "Needs the right to \(right)." {
            return right
        }
        throw GeneratorError(
            "\(method.name): the last line above it must say \"Needs the right to read.\", to write or to administer")
    }
}
