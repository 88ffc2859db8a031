import Varlink

/// Writes the Swift of interfaces: a struct for each type and for what each method takes and gives, an enum for each method.
struct MessageWriter {
    private(set) var text = """
        // Made from the interface descriptions: change those.
        public import Reducing
        public import Varlink

        """
    /// The types that were written, by their names in interfaces, with what they are.
    private var types: [String: InterfaceType] = [:]
    /// The inputs and outputs that were written: the same fields are the same type.
    private var messages: [(fields: [InterfaceDescription.Field], name: String)] = []

    /// Writes all of one interface.
    mutating func write(_ interface: InterfaceDescription) throws(GeneratorError) {
        for type in interface.types { try write(type, of: interface) }
        for method in interface.methods { try write(method, of: interface) }
    }

    /// Writes the texts of the interfaces, each ending in one line feed.
    mutating func writeTexts(of interfaces: [InterfaceDescription]) {
        line()
        line("extension Interfaces {")
        line("    static let texts: [String] = [")
        for interface in interfaces { text += "##\"\"\"\n\(interface.text)\n\"\"\"##,\n" }
        line("    ]")
        line("}")
    }

    private mutating func write(_ type: InterfaceDescription.NamedType, of interface: InterfaceDescription) throws(GeneratorError)
    {
        if let known = types.updateValue(type.type, forKey: type.name) {
            guard known == type.type else { throw GeneratorError("\(interface.name): \(type.name) is another type elsewhere") }
            return
        }
        guard !SwiftType.written.contains(type.name) else { return }
        guard case .structure(let fields) = type.type else { throw GeneratorError("\(type.name): no message is an enum yet") }
        line()
        document(type.documentation, indent: "")
        try write(fields, of: type.name, as: SwiftType.name(type.name), indent: "")
    }

    private mutating func write(_ method: InterfaceDescription.Method, of interface: InterfaceDescription) throws(GeneratorError)
    {
        line()
        document(method.documentation, indent: "")
        line("public enum \(method.name)Method: Method {")
        line("    /// Its full name.")
        line("    public static let name = \"\(interface.name).\(method.name)\"")
        try write(method.input, of: method, as: "Input", "What is asked.")
        try write(method.output, of: method, as: "Output", "What is answered.")
        line("}")
    }

    private mutating func write(
        _ fields: [InterfaceDescription.Field], of method: InterfaceDescription.Method, as name: String, _ sentence: String
    ) throws(GeneratorError) {
        line()
        line("    /// \(sentence)")
        if let known = fields.isEmpty ? "NoFields" : messages.first(where: { $0.fields == fields })?.name {
            line("    public typealias \(name) = \(known)")
        } else {
            try write(fields, of: method.name, as: name, indent: "    ")
            messages.append((fields, "\(method.name)Method.\(name)"))
        }
    }

    private mutating func write(
        _ fields: [InterfaceDescription.Field], of owner: String, as name: String, indent: String
    ) throws(GeneratorError) {
        line(indent + "public struct \(name): Message {")
        var parameters: [String] = []
        for field in fields {
            let type = try SwiftType.of(field, in: owner)
            document(field.documentation, indent: indent + "    ")
            line(indent + "    public var \(quoted(field.name)): \(type)")
            parameters.append("\(quoted(field.name)): \(type)\(field.isOptional ? " = nil" : "")")
        }
        line()
        line(indent + "    /// Makes one.")
        line(indent + "    public init(\(parameters.joined(separator: ", "))) {")
        for field in fields { line(indent + "        self.\(field.name) = \(quoted(field.name))") }
        line(indent + "    }")
        line()
        line(indent + "    /// The fields in order.")
        line(indent + "    public static let fieldNames = [\(fields.map { "\"\($0.name)\"" }.joined(separator: ", "))]")
        line()
        line(indent + "    /// Reads the fields.")
        line(indent + "    public init(_ fields: FieldReader) throws(APIError) {")
        for field in fields {
            line(indent + "        self.\(field.name) = try fields.\(try SwiftType.reader(field))(\"\(field.name)\")")
        }
        line(indent + "    }")
        line()
        line(indent + "    /// Writes the fields.")
        line(indent + "    public func write(fields writer: inout ObjectWriter) {")
        for field in fields { line(indent + "        writer.field(\"\(field.name)\", self.\(field.name))") }
        line(indent + "    }")
        line(indent + "}")
    }

    private func quoted(_ name: String) -> String { name == "where" ? "`where`" : name }

    private mutating func document(_ lines: [String], indent: String) {
        for sentence in lines { line(sentence.isEmpty ? indent + "///" : indent + "/// " + sentence) }
    }

    private mutating func line(_ content: String = "") { text += content + "\n" }
}
