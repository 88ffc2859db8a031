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

    static func dictionary(_ declaration: String, _ entries: [String]) -> [String] {
        ["\(declaration): [String: String] = [\(entries.isEmpty ? ":" : "")"] + entries + ["]"]
    }

    /// The entry of a comment in a dictionary; empty without a comment.
    static func entry(_ name: String, _ comment: [String]) -> [String] {
        let lines = comment.prefix { !$0.isEmpty }
        return lines.isEmpty ? [] : ["\"\(name)\": \(SwiftText.literal(lines.joined(separator: "\n"))),"]
    }
}

/// Writes the Swift of the actions and the tasks of a feature, with the rules that follow from their declarations.
struct CaseWriter {
    let schema: Schema
    private var types: TypeWriter { TypeWriter(schema: schema) }

    @Lines var actions: [String] {
        "/// The actions: as dispatched, and as `prepare` returns them for the log."
        lines("Action", "CaseCoding", schema.actions)
        SwiftText.choosing("public static func kind(of action: Action) -> ActionKind", by: "action") {
            for item in schema.actions { "case \(patterns(item)): .\(item.kind ?? .command)" }
        }
        scopes
        created
        failures
        if let (table, action) = restoring {
            "public static func rows(of state: State) -> OrderedTable<\(table.row ?? "")> { state.\(table.property) }"
            "public static func restoring(_ patch: \(action.parameters[0].type)) -> Action { \(made(action) { _ in "patch" }) }"
        }
    }

    @Lines var tasks: [String] {
        if schema.tasks.isEmpty {
            "public typealias Command = Never"
        } else {
            "/// The work that reducers ask for."
            lines("Command", "CommandCoding", schema.tasks)
        }
    }

    /// The table of the state, and the action that patches it with the difference to other rows.
    var restoring: (table: Schema.Field, action: Schema.Case)? {
        guard let table = schema.state.first(where: { $0.row != nil }),
            schema.state.allSatisfy({ $0.name == table.name || $0.isNextID })
        else { return nil }
        let action = schema.actions.first { action in
            action.parameters.count == 1 && action.parameters[0].form == .whole
                && action.parameters[0].type == "TablePatch<\(table.row ?? "")>"
        }
        return action.map { (table, $0) }
    }

    @Lines private func lines(_ name: String, _ conformance: String, _ cases: [Schema.Case]) -> [String] {
        let shared = cases.filter { $0.byIndex != nil }
        SwiftText.block("public enum \(name): \(conformance)") {
            for item in cases {
                SwiftText.comment(item.documentation)
                "\(item.isIndirect ? "indirect " : "")case \(declaration(of: item))"
                if let byIndex = item.byIndex {
                    "/// The same for the row at an index of the list that the client saw; logged as `\(item.name)`."
                    "case \(byIndex)(index: Int)"
                }
            }
            if conformance == "CommandCoding" { "public static let feature = \"\(SwiftText.lowercased(schema.name))\"" }
            if !shared.isEmpty { "public static let sharingCount = \(shared.count)" }
            SwiftText.choosing("public static func defaultInstance(_ number: UInt32) -> \(name)?", by: "number", default: "nil") {
                for item in cases { "case \(item.number): Self\(made(item) { types.initialValue($0) })" }
            }
            SwiftText.choosing(Self.visited, by: "consume self") { for item in cases { visit(item) } }
            for item in shared { target(item) }
            if !shared.isEmpty {
                SwiftText.choosing("public var fault: ValueMismatch?", default: "nil") {
                    for item in shared {
                        "case .\(item.name)(let id): RowTarget(id: id).fault"
                        "case .\(item.byIndex ?? "")(let index): RowTarget(index: index).fault"
                    }
                }
            }
        }
    }

    static let visited =
        "public consuming func visited<Visitor: FieldVisitor>(by visitor: inout Visitor) throws(Visitor.Failure) -> Self"

    private func declaration(of item: Schema.Case) -> String {
        guard !item.parameters.isEmpty else { return item.name }
        let parameters = item.parameters.map { field in
            let label = field.label == "_" ? "" : field.label + ": "
            return label + field.swiftType + (field.hasDefault ? " = \(types.initialValue(field))" : "")
        }
        return "\(item.name)(\(parameters.joined(separator: ", ")))"
    }

    private func made(_ item: Schema.Case, _ value: (Schema.Field) -> String) -> String {
        guard !item.parameters.isEmpty else { return "." + item.name }
        let values = item.parameters.map { ($0.label == "_" ? "" : $0.label + ": ") + value($0) }
        return ".\(item.name)(\(values.joined(separator: ", ")))"
    }

    @Lines private func visit(_ item: Schema.Case) -> [String] {
        if let byIndex = item.byIndex {
            "case .\(item.name)(let id): return try Self.\(item.name)(RowTarget(id: id), visitedBy: &visitor)"
            "case .\(byIndex)(let index): return try Self.\(item.name)(RowTarget(index: index), visitedBy: &visitor)"
        } else {
            let names = item.parameters.map { "var \($0.name)" }.joined(separator: ", ")
            "case .\(item.name)\(names.isEmpty ? "" : "(\(names))"):"
            if item.parameters.count == 1, item.parameters[0].form == .whole {
                "try visitor.whole(\(item.number), \"\(item.name)\", &\(item.parameters[0].name))"
            } else {
                "visitor.choose(\(item.number), \"\(item.name)\")"
                for field in item.parameters.sorted(by: { $0.position < $1.position }) {
                    field.visit(at: field.name, isProperty: false)
                }
            }
            "return \(made(item) { $0.name })"
        }
    }

    @Lines private func target(_ item: Schema.Case) -> [String] {
        """
        private static func \(item.name)<Visitor: FieldVisitor>(
        _ target: RowTarget, visitedBy visitor: inout Visitor
        ) throws(Visitor.Failure) -> Self {
        visitor.choose(\(item.number), "\(item.name)")
        var target = target
        try target.visit(&visitor)
        return target.index.map { .\(item.byIndex ?? "")(index: $0) } ?? .\(item.name)(target.id)
        }
        """
    }

    @Lines private var scopes: [String] {
        let fields = schema.state.map(\.name)
        "/// The bits of the fields of the state."
        SwiftText.block("enum StateScope") {
            for (index, name) in fields.enumerated() { "static let \(name) = ScopeSet(index: \(index))" }
        }
        "/// The fields that differ. It is asked at every dispatch, so it does without a visitor."
        SwiftText.block("public static func changedScopes(from old: State, to new: State) -> ScopeSet") {
            "var scopes: ScopeSet = []"
            for field in schema.state {
                let (old, new) = ("old." + field.property, "new." + field.property)
                let differs = field.row == nil ? "!\(old).isSame(as: \(new))" : "\(old) != \(new)"
                "if \(differs) { scopes.insert(StateScope.\(field.name)) }"
            }
            "return scopes"
        }
        SwiftText.choosing("public static func scopes(of action: Action) -> ScopeSet", by: "action") {
            for item in schema.actions { "case \(patterns(item)): \(set(item.changed ?? fields))" }
        }
        let indexed = schema.actions.compactMap(\.byIndex)
        if !indexed.isEmpty, let table = schema.state.first(where: { $0.row != nil }) {
            SwiftText.choosing("public static func indexedScope(of action: Action) -> ScopeSet", by: "action", default: "[]") {
                "case \(indexed.map { "." + $0 }.joined(separator: ", ")): StateScope.\(table.name)"
            }
        }
        let overwriting = schema.actions.filter { !$0.overwritten.isEmpty }
        if !overwriting.isEmpty {
            let declaration = "public static func overwrittenScopes(by action: Action) -> ScopeSet"
            SwiftText.choosing(declaration, by: "action", default: "[]") {
                for item in overwriting { "case \(patterns(item)): \(set(item.overwritten))" }
            }
            let all = fields.filter { name in overwriting.contains { $0.overwritten.contains(name) } }
            "public static var overwritableScopes: ScopeSet { \(set(all)) }"
        }
    }

    private func set(_ fields: [String]) -> String {
        fields.count == 1 ? "StateScope.\(fields[0])" : "[\(fields.map { "StateScope." + $0 }.joined(separator: ", "))]"
    }

    private func patterns(_ item: Schema.Case) -> String {
        ([item.name] + (item.byIndex.map { [$0] } ?? [])).map { "." + $0 }.joined(separator: ", ")
    }

    @Lines private var created: [String] {
        let creating = schema.actions.filter { $0.created != nil }
        if !creating.isEmpty {
            SwiftText.choosing("public static func created(by action: Action) -> [UInt64]", by: "action", default: "[]") {
                for item in creating {
                    for field in item.parameters where field.name == item.created {
                        let ids =
                            switch field.type {
                            case "UInt64": "[\(field.name)]"
                            case "[UInt64]": field.name
                            default: field.type.hasPrefix("[") ? "\(field.name).map(\\.id)" : "[\(field.name).id]"
                            }
                        "case \(pattern(item, binding: [field.name])): \(ids)"
                    }
                }
            }
        }
    }

    @Lines private var failures: [String] {
        let failing = schema.actions.filter { $0.failure != nil }
        if !failing.isEmpty {
            "/// The failure that an event reports, as a sentence without a full stop; `nil` for every other action."
            SwiftText.choosing("public static func failure(toldBy action: Action) -> String?", by: "action", default: "nil") {
                for item in failing {
                    let text = item.failure ?? ""
                    let names = item.parameters.map(\.name).filter { text.contains("\\(\($0))") }
                    "case \(pattern(item, binding: names)): \"\(text)\""
                }
            }
        }
    }

    private func pattern(_ item: Schema.Case, binding names: [String]) -> String {
        let parts = item.parameters.map { names.contains($0.name) ? "let \($0.name)" : "_" }
        return ".\(item.name)" + (names.isEmpty ? "" : "(\(parts.joined(separator: ", ")))")
    }
}
