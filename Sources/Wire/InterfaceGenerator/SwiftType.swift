import VarlinkInterfaces

/// How the fields of interfaces are written in Swift.
enum SwiftType {
    // What an `int` of this name is, of every type and method or of one, where it is neither a time nor a `UInt64`; most
    // are small.
    private static let integers = [
        "id": "Int64", "pid": "Int64",
        "origin": "UInt32", "uid": "UInt32", "version": "UInt32", "build": "UInt32", "attempts": "UInt32", "depth": "UInt32",
        "Undo.count": "Int", "Redo.count": "Int", "index": "Int", "insertion": "Int", "clients": "Int", "subscribers": "Int",
        "action": "Int", "column": "Int",
        "alteration": "Int", "max": "Int", "SeriesPoint.value": "Int64", "ClockOffset.seconds": "Int64",
    ]

    /// Types of interfaces that a type of that very name stands for already, in this module or in one that it imports.
    static let written: Set<String> = ["Change", "Conflict"]

    /// The Swift name of a type of an interface.
    static func name(_ type: String) -> String {
        written.contains(type) || ["CommandID", "Point"].contains(type) ? type : type + "Message"
    }

    /// The Swift type of a field of a type or method.
    static func of(_ field: InterfaceDescription.Field, in owner: String) throws(GeneratorError) -> String {
        // What its comment calls a time is one; it may lie before 1970.
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
        // All that there are lists of are sequences, steps and ids.
        case .array(let element): "[" + (try of(element, integer: "UInt64")) + "]"
        case .float, .map, .structure, .enumeration: throw GeneratorError("no message has a field of such a type yet: \(type)")
        }
    }

    /// The method of `ObjectReader` that reads a field.
    static func reader(_ field: InterfaceDescription.Field) throws(GeneratorError) -> String {
        guard case .optional(let wrapped) = field.type else { return try reader(field.type, of: field.name) }
        let name = try reader(wrapped, of: field.name)
        return "optional" + name.prefix(1).uppercased() + name.dropFirst()
    }

    private static func reader(_ type: InterfaceType, of name: String) throws(GeneratorError) -> String {
        switch type {
        case .bool: "flag"
        case .int: "integer"
        case .string: "text"
        case .object: "record"
        case .named: "message"
        case .array(.int): "integers"
        case .array(.string): "texts"
        case .array(.object): name == "actions" ? "actions" : "records"
        case .array(.named): "messages"
        default: throw GeneratorError("\(name): no message has such a type yet")
        }
    }
}

/// Why no Swift can be written for an interface.
struct GeneratorError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
