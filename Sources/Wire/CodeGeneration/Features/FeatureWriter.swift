import Foundation

struct FeatureWriter {
    let schema: Schema

    func text(madeFrom file: String) -> String {
        let text = SwiftText.indented(lines(madeFrom: file))
        return schema.isPublic ? text : text.replacing(#/(?m)^([ ]*(?:@ByteEqual )?)public /#) { $0.output.1 }
    }

    @Lines private func lines(madeFrom file: String) -> [String] {
        "// Generated from \(file): change that file."
        for module in Set(schema.imports + ["Chronicle"]).sorted() { "public import \(module)" }
        ""
        SwiftText.comment(schema.documentation)
        if schema.children.isEmpty {
            let (types, cases) = (TypeWriter(schema: schema), CaseWriter(schema: schema))
            SwiftText.block("public enum \(schema.name): \(cases.restoring == nil ? "Feature" : "RestoresRows")") {
                types.state
                cases.actions
                cases.tasks
                schema.refusalNames
                documentation
            }
            for type in schema.types { types.lines(of: type) }
        } else {
            RootWriter(schema: schema).lines
        }
    }

    /// The comments, by the names that clients use.
    @Lines private var documentation: [String] {
        "/// The comments of the schema by name: of the feature, `state.FIELD`, `ACTION` and `refusal.NAME`."
        Schema.dictionary("public static let documentation", entries)
        "/// The names of the numbers that are times."
        let times = schema.times.filter(\.value).keys.sorted().map(SwiftText.literal)
        "public static let times: [String] = [\(times.joined(separator: ", "))]"
    }

    @Lines private var entries: [String] {
        Schema.entry("", schema.documentation)
        for field in schema.state { Schema.entry("state." + field.name, field.documentation) }
        for action in schema.actions { Schema.entry(action.name, action.documentation) }
        schema.refusalEntries
    }
}

extension Schema {
    /// The names of the refusals, so that a rule can't throw an undeclared one.
    @Lines var refusalNames: [String] {
        if !refusals.isEmpty {
            "/// The refusals of the feature. On the wire their names begin with a capital letter."
            SwiftText.block("public enum RefusalName: String, Sendable") {
                for refusal in refusals {
                    SwiftText.comment(refusal.documentation)
                    "case \(SwiftText.lowercased(refusal.name)) = \"\(refusal.name)\""
                }
            }
            "/// A refusal with a sentence for a person."
            SwiftText.block("public static func refusal(_ name: RefusalName, _ message: String) -> Refusal") {
                // A composed feature is the whole app.
                "Refusal(name.rawValue, of: \"\(children.isEmpty ? name : "")\", message)"
            }
        }
    }

    var refusalEntries: [String] { refusals.flatMap { Self.entry("refusal." + $0.name, $0.documentation) } }

    /// The declaration of a dictionary of comments.
    static func dictionary(_ declaration: String, _ entries: [String]) -> [String] {
        ["\(declaration): [String: String] = [\(entries.isEmpty ? ":" : "")"] + entries + ["]"]
    }

    /// The entry of a comment in a dictionary; empty without a comment.
    static func entry(_ name: String, _ comment: [String]) -> [String] {
        let lines = comment.prefix { !$0.isEmpty }
        return lines.isEmpty ? [] : ["\"\(name)\": \(SwiftText.literal(lines.joined(separator: "\n"))),"]
    }
}
