import VarlinkInterfaces

/// Writes the Swift of interfaces: a struct for each type and for what each method takes and gives, an enum for each method.
struct MessageWriter {
    private(set) var swift = SwiftText()
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
        swift.line()
        swift.line("extension Interfaces {")
        swift.line("    static let texts: [String] = [")
        for interface in interfaces { swift.append("##\"\"\"\n\(interface.text)\n\"\"\"##,\n") }
        swift.line("    ]")
        swift.line("}")
    }

    private mutating func write(_ type: InterfaceDescription.NamedType, of interface: InterfaceDescription) throws(GeneratorError)
    {
        if let known = types.updateValue(type.type, forKey: type.name) {
            guard known == type.type else { throw GeneratorError("\(interface.name): \(type.name) is another type elsewhere") }
            return
        }
        guard !SwiftType.written.contains(type.name) else { return }
        guard case .structure(let fields) = type.type else { throw GeneratorError("\(type.name): no message is an enum yet") }
        swift.line()
        swift.document(type.documentation, indent: "")
        try write(fields, of: type.name, as: SwiftType.name(type.name), indent: "")
    }

    private mutating func write(_ method: InterfaceDescription.Method, of interface: InterfaceDescription) throws(GeneratorError)
    {
        swift.line()
        swift.document(method.documentation, indent: "")
        swift.line("public enum \(method.name)Method: Method {")
        swift.line("    /// Its full name.")
        swift.line("    public static let name = \"\(interface.name).\(method.name)\"")
        try write(method.input, of: method, as: "Input", "What is asked.")
        try write(method.output, of: method, as: "Output", "What is answered.")
        swift.line("}")
    }

    private mutating func write(
        _ fields: [InterfaceDescription.Field], of method: InterfaceDescription.Method, as name: String, _ sentence: String
    ) throws(GeneratorError) {
        swift.line()
        swift.line("    /// \(sentence)")
        if let known = fields.isEmpty ? "NoFields" : messages.first(where: { $0.fields == fields })?.name {
            swift.line("    public typealias \(name) = \(known)")
        } else {
            try write(fields, of: method.name, as: name, indent: "    ")
            messages.append((fields, "\(method.name)Method.\(name)"))
        }
    }

    private mutating func write(
        _ fields: [InterfaceDescription.Field], of owner: String, as name: String, indent: String
    ) throws(GeneratorError) {
        swift.line(indent + "public struct \(name): Message {")
        var parameters: [String] = []
        for field in fields {
            let type = try SwiftType.of(field, in: owner)
            swift.document(field.documentation, indent: indent + "    ")
            swift.line(indent + "    public var \(SwiftText.quoted(field.name)): \(type)")
            parameters.append("\(SwiftText.quoted(field.name)): \(type)\(field.isOptional ? " = nil" : "")")
        }
        swift.line()
        swift.line(indent + "    /// Makes one.")
        swift.line(indent + "    public init(\(parameters.joined(separator: ", "))) {")
        for field in fields { swift.line(indent + "        self.\(field.name) = \(SwiftText.quoted(field.name))") }
        swift.line(indent + "    }")
        swift.line()
        swift.line(indent + "    /// The fields in order.")
        swift.line(indent + "    public static let fieldNames = [\(fields.map { "\"\($0.name)\"" }.joined(separator: ", "))]")
        swift.line()
        swift.line(indent + "    /// Reads the fields.")
        swift.line(indent + "    public init(_ fields: ObjectReader) throws(APIError) {")
        for field in fields {
            swift.line(indent + "        self.\(field.name) = try fields.\(try SwiftType.reader(field))(\"\(field.name)\")")
        }
        swift.line(indent + "    }")
        swift.line()
        swift.line(indent + "    /// Writes the fields.")
        swift.line(indent + "    public func write(fields writer: inout ObjectWriter) {")
        for field in fields { swift.line(indent + "        writer.field(\"\(field.name)\", self.\(field.name))") }
        swift.line(indent + "    }")
        swift.line(indent + "}")
    }
}
