import VarlinkInterfaces

/// Writes the Swift of the errors of interfaces: one enum with a case for each, its name, its sentence and its parameters, both ways.
///
/// The comment above the parameter `message` is the error's sentence: `{name}` stands for a parameter, and what is in brackets is
/// said only when the parameter in it has a value. Without such a comment whoever throws the error says the sentence.
struct ErrorWriter {
    private struct Entry {
        var error: InterfaceDescription.ErrorType
        var interface: String
        var swiftName: String { SwiftText.lowercased(error.name) }
        /// What the case carries: everything but a message that has its sentence.
        var values: [InterfaceDescription.Field] {
            error.parameters.filter { $0.name != "message" || $0.documentation.isEmpty }
        }
        var sentence: String? {
            error.parameters.first { $0.name == "message" && !$0.documentation.isEmpty }?.documentation.joined(separator: " ")
        }
        /// Whether it is one that a rule of a feature gives: `Refusal` has its name and its sentence.
        var isRefusal: Bool {
            error.parameters.map(\.name) == ["message", "action"] && error.parameters[0].documentation.isEmpty
        }
    }

    private(set) var swift = SwiftText()

    /// Writes the errors of all interfaces.
    mutating func write(_ interfaces: [InterfaceDescription]) throws(GeneratorError) {
        let all = interfaces.flatMap { interface in
            interface.errors.map { Entry(error: $0, interface: interface.name) }
        }
        let entries = all.filter { !$0.isRefusal }
        swift.line()
        swift.line("/// Every error that a method answers, with what a caller needs to go on.")
        swift.line("public enum APIError: Error, Sendable, Equatable {")
        swift.line("    /// A parameter is unknown, missing or of another type.")
        swift.line("    case invalidParameter(String)")
        swift.line("    /// The peer may not do this.")
        swift.line("    case permissionDenied")
        swift.line("    /// A method that streams was called without `more`.")
        swift.line("    case expectedMore")
        swift.line("    /// A rule says no; `action` is the index in the batch.")
        swift.line("    case refused(Refusal, action: Int)")
        for entry in entries { try writeCase(entry) }
        swift.line("}")
        swift.line()
        swift.line("extension APIError {")
        writeNames(entries)
        try writeSentences(entries)
        try writeParameters(entries)
        swift.line()
        try writeReader(entries, refusals: all.filter(\.isRefusal))
        swift.line("}")
    }

    private mutating func writeCase(_ entry: Entry) throws(GeneratorError) {
        let documentation = entry.error.documentation
        swift.document(
            documentation.isEmpty ? [entry.sentence ?? "See the error before this one."] : documentation, indent: "    ")
        var values: [String] = []
        for value in entry.values {
            values.append("\(value.name): \(try SwiftType.of(value, in: entry.error.name))\(value.isOptional ? " = nil" : "")")
        }
        swift.line("    case \(entry.swiftName)\(values.isEmpty ? "" : "(\(values.joined(separator: ", ")))")")
    }

    private mutating func writeNames(_ entries: [Entry]) {
        swift.line("    /// The full name of the error.")
        swift.line("    public var name: String {")
        swift.line("        switch self {")
        swift.line("        case .invalidParameter: \"org.varlink.service.InvalidParameter\"")
        swift.line("        case .permissionDenied: \"org.varlink.service.PermissionDenied\"")
        swift.line("        case .expectedMore: \"org.varlink.service.ExpectedMore\"")
        swift.line("        case .refused(let refusal, _): \"org.todod.Store.\" + refusal.name")
        for entry in entries { swift.line("        case .\(entry.swiftName): \"\(entry.interface).\(entry.error.name)\"") }
        swift.line("        }")
        swift.line("    }")
        swift.line()
    }

    private mutating func writeSentences(_ entries: [Entry]) throws(GeneratorError) {
        swift.line("    /// A sentence for a person.")
        swift.line("    public var message: String {")
        swift.line("        switch self {")
        swift.line("        case .invalidParameter(let name): \"The parameter \\(name) is unknown, missing or of another type.\"")
        swift.line("        case .permissionDenied: \"You may not do this.\"")
        swift.line("        case .expectedMore: \"This method streams and must be called with more.\"")
        swift.line("        case .refused(let refusal, _): refusal.message")
        for entry in entries {
            guard let sentence = entry.sentence else {
                swift.line("        case \(pattern(of: entry) { $0.name == "message" }): message")
                continue
            }
            let (code, names) = try Self.code(sentence, of: entry.error)
            swift.line("        case \(pattern(of: entry) { names.contains($0.name) }): \(code)")
        }
        swift.line("        }")
        swift.line("    }")
        swift.line()
    }

    /// The Swift of a sentence, and the parameters that it speaks of.
    private static func code(
        _ sentence: String, of error: InterfaceDescription.ErrorType
    ) throws(GeneratorError) -> (code: String, names: Set<String>) {
        var code = "\""
        var names: Set<String> = []
        var optional: String?
        var rest = sentence[...]
        while let letter = rest.popFirst() {
            switch letter {
            case "{":
                let name = String(rest.prefix { $0 != "}" })
                rest = rest.dropFirst(name.count + 1)
                guard let parameter = error.parameters.first(where: { $0.name == name }) else {
                    throw GeneratorError("\(error.name): its sentence speaks of \(name), which is no parameter")
                }
                names.insert(name)
                if optional != nil { optional = name }
                if case .named = parameter.type { code += "\\(\(name).text)" } else { code += "\\(\(name))" }
            case "[":
                optional = ""
                code += "\" + (OPTIONAL.map { OPTIONAL in \""
            case "]":
                code += "\" } ?? \"\") + \""
                code.replace("OPTIONAL", with: optional ?? "")
                optional = nil
            case "\"", "\\": code += "\\\(letter)"
            default: code.append(letter)
            }
        }
        return (code + "\"", names)
    }

    private mutating func writeParameters(_ entries: [Entry]) throws(GeneratorError) {
        swift.line("    /// The parameters, in the order of the interface description.")
        swift.line("    public var parameters: [Value.Field] {")
        swift.line("        switch self {")
        swift.line("        case .invalidParameter(let name): [Value.Field(\"parameter\", .text(name))]")
        swift.line("        case .permissionDenied, .expectedMore: []")
        swift.line("        case .refused(_, let action): [said, Value.Field(\"action\", .int(Int64(action)))]")
        for entry in entries {
            var members = ["said"]
            for parameter in entry.error.parameters where parameter.name != "message" {
                members.append("Value.Field(\"\(parameter.name)\", \(try Self.value(parameter)))")
            }
            swift.line("        case \(pattern(of: entry) { $0.name != "message" }): [\(members.joined(separator: ", "))]")
        }
        swift.line("        }")
        swift.line("    }")
        swift.line()
        swift.line("    private var said: Value.Field { Value.Field(\"message\", .text(message)) }")
    }

    private mutating func writeReader(_ entries: [Entry], refusals: [Entry]) throws(GeneratorError) {
        swift.line("    /// Reads an error as it was answered; nil for one of a newer service.")
        swift.line("    public init?(_ error: CallError) {")
        swift.line("        let fields = ObjectReader(error.parameters, unknownFields: .ignored)")
        swift.line("        do throws(APIError) {")
        swift.line("            switch error.name {")
        swift.line(
            "            case \"org.varlink.service.InvalidParameter\": self = .invalidParameter(try fields.text(\"parameter\"))")
        swift.line("            case \"org.varlink.service.PermissionDenied\": self = .permissionDenied")
        swift.line("            case \"org.varlink.service.ExpectedMore\": self = .expectedMore")
        swift.line("            case \(refusals.map { "\"\($0.interface).\($0.error.name)\"" }.joined(separator: ", ")):")
        swift.line("                let name = String(error.name.split(separator: \".\").last ?? \"\")")
        swift.line(
            "                self = .refused(Refusal(name, try fields.text(\"message\")), action: try fields.integer(\"action\"))"
        )
        for entry in entries {
            var values: [String] = []
            for value in entry.values {
                values.append("\(value.name): try fields.\(try SwiftType.reader(value))(\"\(value.name)\")")
            }
            swift.line(
                "            case \"\(entry.interface).\(entry.error.name)\": self = .\(entry.swiftName)"
                    + (values.isEmpty ? "" : "(\(values.joined(separator: ", ")))"))
        }
        swift.line("            default: return nil")
        swift.line("            }")
        swift.line("        } catch { return nil }")
        swift.line("    }")
    }

    private static func value(_ parameter: InterfaceDescription.Field) throws(GeneratorError) -> String {
        let name = parameter.name
        return switch parameter.type {
        case .int: ".int(Int64(clamping: \(name)))"
        case .string: ".text(\(name))"
        case .named: "\(name).value"
        case .array(.named): ".list(\(name).map(\\.value))"
        case .optional(.int): "\(name).map { .int(Int64(clamping: $0)) } ?? .null"
        case .optional(.string): "\(name).map { .text($0) } ?? .null"
        default: throw GeneratorError("\(name): no error has a parameter of such a type yet")
        }
    }

    /// A pattern of the case, with the values that are wanted.
    private func pattern(of entry: Entry, _ isWanted: (InterfaceDescription.Field) -> Bool) -> String {
        let wanted = entry.values.map(isWanted)
        guard wanted.contains(true) else { return ".\(entry.swiftName)" }
        let values = zip(entry.values, wanted).map { value, isWanted in isWanted ? "let \(value.name)" : "_" }
        return ".\(entry.swiftName)(\(values.joined(separator: ", ")))"
    }
}
