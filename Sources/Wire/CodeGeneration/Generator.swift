import Foundation
import VarlinkInterfaces

/// Writes the Swift of interface descriptions or of a schema.
public enum Generator {
    /// Generates Swift for the input files into the first argument's file.
    ///
    /// Throws an error whose description is `FILE:LINE: error: SENTENCE`, as compilers write them.
    public static func run(_ arguments: [String]) throws {
        let output = URL(filePath: arguments[1])
        let files = Array(arguments.dropFirst(2))
        let made = files.first?.hasSuffix(".feature") == true ? try feature(files[0]) : try interfaces(files)
        // Keeps the time of an unchanged file, so that nothing is recompiled.
        if (try? Data(contentsOf: output)) != Data(made.utf8) { try Data(made.utf8).write(to: output) }
    }

    private static func feature(_ path: String) throws -> String {
        try parsed(path) { text throws(InterfaceError) in
            var parser = SchemaParser(text: text)
            try parser.parse()
            return FeatureWriter(schema: parser.schema).text(madeFrom: URL(filePath: path).lastPathComponent)
        }
    }

    /// The messages, errors and handlers of all interfaces, and their texts byte for byte.
    private static func interfaces(_ paths: [String]) throws -> String {
        // The store is the last one. The others share its types.
        let store = try paths.last.map(read) ?? ""
        let interfaces = try paths.map { path in
            try parsed(path) { text throws(InterfaceError) in
                try InterfaceDescription(parsing: text + sharedTypes(of: text, from: store))
            }
        }
        var messages = MessageWriter()
        for interface in interfaces.reversed() { try messages.write(interface) }
        let others = try ErrorWriter(interfaces).lines() + HandlerWriter(methods: interfaces.flatMap(\.methods)).lines()
        // The texts are not indented.
        return """
            // Generated from the interface descriptions: change those.
            public import Chronicle
            public import Varlink
            \(SwiftText.indented(messages.lines))
            extension Interfaces {
                public static let all: [String] = [
            \(interfaces.map { "##\"\"\"\n\($0.text)\n\"\"\"##,\n" }.joined())    ]
            }
            \(SwiftText.indented(others))
            """
    }

    private static func parsed<Result>(_ path: String, _ parse: (String) throws(InterfaceError) -> Result) throws -> Result {
        let text = try read(path)
        do { return try parse(text) } catch { throw GeneratorError("\(path):\(error.line): error: \(error.message)") }
    }

    private static func read(_ path: String) throws -> String {
        String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
    }

    /// The descriptions of the store's types that an interface uses, to be appended to its text.
    ///
    /// A Varlink interface must describe all of its types. The comment of another interface lists the shared ones in a line such as `Types
    /// of org.todod.Store: Point, Change`.
    private static func sharedTypes(of text: String, from store: String) -> String {
        let prefix = "# Types of org.todod.Store: "
        let line = text.split(separator: "\n").first { $0.hasPrefix(prefix) } ?? ""
        return line.dropFirst(prefix.count).split(separator: ", ").map { name in
            let description = store.split(separator: "\n\n").first { part in
                part.split(separator: "\n").contains { $0.hasPrefix("type \(name) ") }
            }
            return description.map { "\n\($0)\n" } ?? ""
        }.joined()
    }
}
