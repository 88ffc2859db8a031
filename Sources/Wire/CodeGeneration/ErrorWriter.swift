import VarlinkInterfaces

/// Writes the Swift of the errors of interfaces: an enum with a case for each error, with its name, its message and its parameters.
///
/// The comment above the parameter `message` is the message of the error. `{name}` stands for a parameter, and a part in brackets is
/// omitted if its parameter has no value. An error without such a comment carries its message as a value.
struct ErrorWriter {
    private struct Entry {
        var error: InterfaceDescription.ErrorType
        var interface: String
        var swiftName: String { SwiftText.lowercased(error.name) }
        /// The values of the case: all parameters except a message that the interface gives.
        var values: [InterfaceDescription.Field] { error.parameters.filter { $0.name != "message" || $0.documentation.isEmpty } }
        var sentence: String? {
            error.parameters.first { $0.name == "message" && !$0.documentation.isEmpty }?.documentation.joined(separator: " ")
        }

        /// A pattern of the case that binds the wanted values.
        func pattern(_ isWanted: (InterfaceDescription.Field) -> Bool) -> String {
            let bound = values.map { isWanted($0) ? "let \($0.name)" : "_" }
            return "case .\(swiftName)" + (values.contains(where: isWanted) ? "(\(bound.joined(separator: ", ")))" : "")
        }
    }

    private let entries: [Entry]

    init(_ interfaces: [InterfaceDescription]) {
        entries = interfaces.flatMap { interface in interface.errors.map { Entry(error: $0, interface: interface.name) } }
    }

    @Lines func lines() throws(GeneratorError) -> [String] {
        let (cases, messages) = (try entries.map(declaration), try entries.map(message))
        let values = try entries.map(parameters)
        "\n/// Every error of the methods, with the values that a caller needs."
        SwiftText.block("public enum APIError: Error, Sendable, Equatable") {
            """
            /// A parameter is unknown, missing or of another type.
            case invalidParameter(String)
            /// The peer does not have the right.
            case permissionDenied
            /// A method that streams was called without `more`.
            case expectedMore
            /// The interfaces of features, in which they declare the refusals of their rules.
            public static let featurePrefix = "org.todod.feature."
            /// A rule refused the action; `action` is its index in the batch.
            case refused(Refusal, action: Int)
            """
            cases.flatMap { $0 }
        }
        ""
        SwiftText.block("extension APIError") {
            "/// The full name of the error."
            SwiftText.choosing("public var name: String") {
                #"""
                case .invalidParameter: "org.varlink.service.InvalidParameter"
                case .permissionDenied: "org.varlink.service.PermissionDenied"
                case .expectedMore: "org.varlink.service.ExpectedMore"
                case .refused(let refusal, _): Self.featurePrefix + (refusal.feature + ".").drop { $0 == "." } + refusal.name
                """#
                for entry in entries { "case .\(entry.swiftName): \"\(entry.interface).\(entry.error.name)\"" }
            }
            "/// The message for people."
            SwiftText.choosing("public var message: String") {
                #"""
                case .invalidParameter(let name): "The parameter \(name) is unknown, missing or of another type."
                case .permissionDenied: "You may not do this."
                case .expectedMore: "This method streams and must be called with more."
                case .refused(let refusal, _): refusal.message
                """#
                messages
            }
            "/// The parameters, in the order of the interface description."
            SwiftText.choosing("public var parameters: [Value.Field]") {
                """
                case .invalidParameter(let name): [Value.Field("parameter", .text(name))]
                case .permissionDenied, .expectedMore: []
                case .refused(_, let action): [said, Value.Field("action", .int(Int64(action)))]
                """
                values
            }
            "private var said: Value.Field { Value.Field(\"message\", .text(message)) }"
            reader
        }
    }

    @Lines private func declaration(of entry: Entry) throws(GeneratorError) -> [String] {
        let documentation = entry.error.documentation
        let values = try entry.values.map { value throws(GeneratorError) in
            "\(value.name): \(try SwiftType.of(value, in: entry.error.name))\(value.isOptional ? " = nil" : "")"
        }
        SwiftText.comment(documentation.isEmpty ? [entry.sentence ?? "See the error before this one."] : documentation)
        "case \(entry.swiftName)\(values.isEmpty ? "" : "(\(values.joined(separator: ", ")))")"
    }

    private func message(of entry: Entry) throws(GeneratorError) -> String {
        guard let sentence = entry.sentence else { return "\(entry.pattern { $0.name == "message" }): message" }
        let (code, names) = try Self.code(sentence, of: entry.error)
        return "\(entry.pattern { names.contains($0.name) }): \(code)"
    }

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
                    throw GeneratorError("\(error.name): its message names \(name), which is not a parameter")
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

    private func parameters(of entry: Entry) throws(GeneratorError) -> String {
        var members = ["said"]
        for parameter in entry.error.parameters where parameter.name != "message" {
            members.append("Value.Field(\"\(parameter.name)\", \(try Self.value(parameter)))")
        }
        return "\(entry.pattern { $0.name != "message" }): [\(members.joined(separator: ", "))]"
    }

    @Lines private var reader: [String] {
        """
        /// Reads the error of a reply; nil for an error of a newer service.
        public init?(_ error: CallError) {
        let fields = ObjectReader(error.parameters, refusesUnknownFields: false)
        do throws(APIError) {
        switch error.name {
        case "org.varlink.service.InvalidParameter": self = .invalidParameter(try fields.required("parameter"))
        case "org.varlink.service.PermissionDenied": self = .permissionDenied
        case "org.varlink.service.ExpectedMore": self = .expectedMore
        """
        for entry in entries {
            let values = entry.values.map { "\($0.name): try fields.\(SwiftType.reader($0))(\"\($0.name)\")" }
            let arguments = values.isEmpty ? "" : "(\(values.joined(separator: ", ")))"
            "case \"\(entry.interface).\(entry.error.name)\": self = .\(entry.swiftName)\(arguments)"
        }
        // The feature does not matter.
        """
        case let name where name.hasPrefix(Self.featurePrefix):
        let parts = name.dropFirst(Self.featurePrefix.count).split(separator: ".")
        self = .refused(
        Refusal(
        String(parts.last ?? ""), of: parts.dropLast().joined(separator: "."), try fields.required("message")),
        action: try fields.required("action"))
        default: return nil
        }
        } catch { return nil }
        }
        """
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
        default: throw GeneratorError("\(name): parameters of errors can't have this type yet")
        }
    }
}
