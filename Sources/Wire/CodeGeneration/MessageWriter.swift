import VarlinkInterfaces

/// Writes the Swift of interfaces: a struct for each type and for the input and output of each method, an enum for each method.
struct MessageWriter {
    private(set) var lines: [String] = []
    /// The types written so far, by their names in interfaces.
    private var types: [String: InterfaceType] = [:]
    /// The inputs and outputs written so far; equal fields share one type.
    private var messages: [(fields: [InterfaceDescription.Field], name: String)] = []

    mutating func write(_ interface: InterfaceDescription) throws(GeneratorError) {
        for type in interface.types { try write(type, of: interface) }
        for method in interface.methods {
            let input = try message(method.input, of: method, as: "Input")
            let output = try message(method.output, of: method, as: "Output")
            lines += [""] + SwiftText.comment(method.documentation)
            lines += SwiftText.block("public enum \(method.name)Method: Method") {
                "public static let name = \"\(interface.name).\(method.name)\""
                input
                output
            }
        }
    }

    private mutating func write(_ type: InterfaceDescription.NamedType, of interface: InterfaceDescription) throws(GeneratorError)
    {
        if let known = types.updateValue(type.type, forKey: type.name) {
            guard known == type.type else { throw GeneratorError("\(interface.name): \(type.name) is another type elsewhere") }
            return
        }
        guard type.name != "Conflict" else { return }
        guard case .structure(let fields) = type.type else { throw GeneratorError("\(type.name): no message is an enum yet") }
        lines.append("")
        guard !SwiftType.written.contains(type.name) else {
            let arguments = fields.map { "\($0.name): try fields.\(SwiftType.reader($0))(\"\($0.name)\")" }
            return lines += SwiftText.block("extension \(type.name): Message") {
                coding(fields, reading: ["self.init(\(arguments.joined(separator: ", ")))"])
            }
        }
        lines += SwiftText.comment(type.documentation)
        lines += try structure(fields, of: type.name, as: SwiftType.name(type.name))
    }

    private mutating func message(
        _ fields: [InterfaceDescription.Field], of method: InterfaceDescription.Method, as name: String
    ) throws(GeneratorError) -> [String] {
        if let known = fields.isEmpty ? "NoFields" : messages.first(where: { $0.fields == fields })?.name {
            return ["public typealias \(name) = \(known)"]
        }
        messages.append((fields, "\(method.name)Method.\(name)"))
        return try structure(fields, of: method.name, as: name)
    }

    @Lines private func structure(
        _ fields: [InterfaceDescription.Field], of owner: String, as name: String
    ) throws(GeneratorError) -> [String] {
        let types = try fields.map { field throws(GeneratorError) in try SwiftType.of(field, in: owner) }
        let declarations = zip(fields, types).map { "\(SwiftText.quoted($0.name)): \($1)" }
        SwiftText.block("public struct \(name): Message") {
            for field in fields {
                if let (type, names) = SwiftType.enumeration(of: field) {
                    "/// The values of `\(field.name)`."
                    SwiftText.block("public enum \(type): String, CaseIterable, MessageValue") {
                        "case \(names.map(SwiftText.quoted).joined(separator: ", "))"
                    }
                }
            }
            for (field, declaration) in zip(fields, declarations) {
                SwiftText.comment(field.documentation)
                "public var \(declaration)"
            }
            let parameters = zip(fields, declarations).map { $1 + ($0.isOptional ? " = nil" : "") }
            SwiftText.block("public init(\(parameters.joined(separator: ", ")))") {
                for field in fields { "self.\(field.name) = \(SwiftText.quoted(field.name))" }
            }
            coding(fields, reading: fields.map { "self.\($0.name) = try fields.\(SwiftType.reader($0))(\"\($0.name)\")" })
        }
    }

    @Lines private func coding(_ fields: [InterfaceDescription.Field], reading: [String]) -> [String] {
        "public static let fieldNames = [\(fields.map { "\"\($0.name)\"" }.joined(separator: ", "))]"
        SwiftText.block("public init(_ fields: ObjectReader) throws(APIError)") { reading }
        SwiftText.block("public func write(fields writer: inout ObjectWriter)") {
            for field in fields { "writer.field(\"\(field.name)\", self.\(field.name))" }
        }
    }
}

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
