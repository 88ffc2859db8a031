import VarlinkInterfaces

/// How the fields of interfaces are written in Swift.
enum SwiftType {
    // The Swift type of an `int` field, by its name or by its owner and its name. Times are `Int64`, all others `UInt64`.
    private static let integers = [
        "id": "Int64", "pid": "Int64",
        "origin": "UInt32", "uid": "UInt32", "version": "UInt32", "build": "UInt32", "attempts": "UInt32", "depth": "UInt32",
        "Undo.count": "Int", "Redo.count": "Int", "index": "Int", "insertion": "Int", "clients": "Int", "subscribers": "Int",
        "action": "Int", "column": "Int",
        "alteration": "Int", "max": "Int", "value": "Int64", "ClockOffset.seconds": "Int64",
    ]

    /// Types of interfaces that exist in Swift, in a module that the messages import.
    static let written: Set<String> = ["Change", "Conflict"]

    static func name(_ type: String) -> String {
        written.contains(type) || ["CommandID", "Point"].contains(type) ? type : type + "Message"
    }

    static func of(_ field: InterfaceDescription.Field, in owner: String) throws(GeneratorError) -> String {
        if let type = enumeration(of: field)?.type { return field.isOptional ? type + "?" : type }
        // The comment of a time names its unit. A time may lie before 1970.
        let isTime = field.documentation.joined(separator: " ").contains("since 1970")
        let named = integers["\(owner).\(field.name)"] ?? integers[field.name]
        return try of(field.type, integer: isTime ? "Int64" : named ?? "UInt64")
    }

    private static func of(_ type: InterfaceType, integer: String) throws(GeneratorError) -> String {
        switch type {
        case .bool: "Bool"
        case .int: integer
        case .string: "String"
        case .object: "Value"
        case .named(let name): self.name(name)
        case .optional(let wrapped): try of(wrapped, integer: integer) + "?"
        // Lists of integers hold sequences, steps or ids.
        case .array(let element): "[" + (try of(element, integer: "UInt64")) + "]"
        case .float, .map, .structure, .enumeration: throw GeneratorError("no message has a field of such a type yet: \(type)")
        }
    }

    static func reader(_ field: InterfaceDescription.Field) -> String { field.isOptional ? "optional" : "required" }

    /// The name and the cases of the Swift enum of a field that has one of several words.
    static func enumeration(of field: InterfaceDescription.Field) -> (type: String, names: [String])? {
        switch field.type {
        case .enumeration(let names), .optional(.enumeration(let names)):
            (field.name.prefix(1).uppercased() + field.name.dropFirst(), names)
        default: nil
        }
    }
}

struct GeneratorError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

/// Collects the lines of Swift code from strings, lists of lines, conditions and loops.
@resultBuilder enum Lines {
    static func buildExpression(_ line: String) -> [String] { [line] }
    static func buildExpression(_ lines: [String]) -> [String] { lines }
    static func buildBlock(_ parts: [String]...) -> [String] { Array(parts.joined()) }
    static func buildArray(_ parts: [[String]]) -> [String] { Array(parts.joined()) }
    static func buildOptional(_ lines: [String]?) -> [String] { lines ?? [] }
    static func buildEither(first lines: [String]) -> [String] { lines }
    static func buildEither(second lines: [String]) -> [String] { lines }
}

enum SwiftText {
    static func comment(_ lines: [String]) -> [String] { lines.map { $0.isEmpty ? "///" : "/// " + $0 } }
    static func block(_ declaration: String, @Lines _ body: () -> [String]) -> [String] { [declaration + " {"] + body() + ["}"] }

    /// A function or a property whose body is a `switch`; other values than those of the cases have the default.
    static func choosing(
        _ declaration: String, by subject: String = "self", default: String? = nil, @Lines _ cases: () -> [String]
    ) -> [String] {
        let cases = cases() + (`default`.map { ["default: " + $0] } ?? [])
        return ["\(declaration) {", "switch \(subject) {"] + cases + ["}", "}"]
    }

    /// Joins lines, indented by the brackets that are open before them.
    static func indented(_ lines: [String]) -> String {
        var depth = 0
        return lines.joined(separator: "\n").split(separator: "\n", omittingEmptySubsequences: false).map { line in
            let code = line.hasPrefix("//") ? "" : line
            let opening = code.count { "{([".contains($0) }
            let closing = code.count { "})]".contains($0) }
            let isLabel = code.hasPrefix("default:") || code.firstMatch(of: /^case (?:\.|\d+:|"|let )/) != nil
            let leading = code.prefix { "})]".contains($0) }.count + (isLabel ? 1 : 0)
            defer { depth += opening - closing }
            return line.isEmpty ? "" : String(repeating: "    ", count: max(0, depth - leading)) + line
        }.joined(separator: "\n") + "\n"
    }

    static func literal(_ text: String) -> String {
        let escaped = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
        return "\"\(escaped)\""
    }

    /// The name of a type, a method or an error as that of a function or a case: `UnknownID` as `unknownID`, `IDsExhausted` as
    /// `idsExhausted`.
    static func lowercased(_ name: String) -> String {
        quoted(name.replacing(#/^(?:[A-Z0-9]+s?(?![a-z])|[A-Z])/#) { $0.output.lowercased() })
    }

    /// A name, in backticks if it is a keyword of Swift.
    static func quoted(_ name: String) -> String { ["import", "where"].contains(name) ? "`\(name)`" : name }
}
