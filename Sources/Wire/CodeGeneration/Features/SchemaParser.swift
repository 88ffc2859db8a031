import VarlinkInterfaces

/// Reads a schema file.
///
/// docs/SCHEMA.md describes the grammar. A comment above a declaration documents it, in Swift and on the wire.
struct SchemaParser {
    private(set) var schema = Schema()
    private var scanner: InterfaceScanner

    init(text: String) { scanner = InterfaceScanner(text: text, comments: .kept) }

    mutating func parse() throws(InterfaceError) {
        while try scanner.take("import") { schema.imports.append(try scanner.word("the name of a module")) }
        schema.isPublic = try scanner.take("public ")
        let above = scanner.documentation
        try scanner.expect(word: "feature")
        schema.documentation = schema.isPublic ? above : scanner.documentation
        schema.name = try camelCased("feature")
        while let word = try scanner.word() { try declaration(word, scanner.documentation) }
        try scanner.require(scanner.isAtEnd, "expected a declaration: a number, state, row, record, patch, choice or refusal")
        let hasOwn = !schema.state.isEmpty || !schema.actions.isEmpty || !schema.tasks.isEmpty || !schema.types.isEmpty
        try scanner.require(
            schema.children.isEmpty || !hasOwn, "a feature has either children or a state, types and actions of its own")
        try scanner.require(
            schema.state.count(where: { $0.row != nil }) < 2 && schema.state.count(where: \.isNextID) < 2,
            "a state has one table and one NextID: put another table into a feature of its own")
        try scanner.require(schema.state.count < 64, "a state has at most 63 fields")
        for item in schema.actions + schema.tasks {
            try check(item)
            try check(item.parameters, isOfCase: true)
        }
        try check(schema.state)
        for type in schema.types {
            if case .record(let fields, _) = type.content { try check(fields) }
        }
    }

    private mutating func declaration(_ word: String, _ documentation: [String]) throws(InterfaceError) {
        switch word {
        case "state":
            try scanner.require(schema.state.isEmpty, "there is another state")
            schema.stateDocumentation = documentation
            // A label names the property, which the feature's own Swift then wraps.
            schema.state = try fields().map { field in
                var field = field
                field.property = field.label
                return field
            }
            // The comment above a state of one line is that of its field.
            if schema.state.count == 1, schema.state[0].documentation.isEmpty { schema.state[0].documentation = documentation }
        case "row", "record":
            let name = try typeName()
            let fields = try fields()
            schema.types.append(.init(name: name, content: .record(fields, isRow: word == "row"), documentation: documentation))
        case "patch":
            let name = try typeName()
            try scanner.expect(word: "of")
            let row = try typeName()
            schema.types.append(.init(name: name, content: .patch(row: row, try changes(of: row)), documentation: documentation))
        case "choice":
            let name = try typeName()
            let isNumber = try scanner.take("number")
            schema.types.append(
                .init(name: name, content: .choice(try choices(), isNumber: isNumber), documentation: documentation))
        case "refusal": try refuse(documentation)
        default: try numbered(try number(word, "a number, state, row, record, patch, choice or refusal"), documentation)
        }
    }

    private mutating func refuse(_ documentation: [String]) throws(InterfaceError) {
        let name = try camelCased("refusal")
        let taken = schema.refusals.first { $0.name.lowercased() == name.lowercased() }
        if let taken { throw scanner.failure("there is another refusal \(taken.name)") }
        try scanner.require(
            documentation.first?.isEmpty == false, "the refusal \(name) has no comment: say above it what it means")
        try scanner.require(
            !Self.reserved.contains(name.lowercased()) && name != "RawValue",
            "\(name.lowercased()) is a word of Swift: choose another name")
        schema.refusals.append((name, documentation))
    }

    private mutating func numbered(_ number: Int, _ documentation: [String]) throws(InterfaceError) {
        let word = try scanner.word("command, query, edit, event, task or child")
        if word == "child" {
            let isApart = try scanner.take("apart ")
            let name = try identifier("the name of the child", notOf: "apart customMirror documentation refusal scopes shape")
            try scanner.expect(":")
            let feature = try typeName()
            let hasTasks = try !scanner.take("without tasks")
            try requireUnique("child", number, name, among: schema.children.map { ($0.number, $0.name) })
            schema.children.append(
                .init(
                    number: number, name: name, feature: feature, isApart: isApart, hasTasks: hasTasks,
                    documentation: documentation))
            return
        }
        var made = Schema.Case(number: number, name: "", documentation: documentation, line: scanner.line)
        made.kind = Schema.Kind(rawValue: word)
        try scanner.require(
            made.kind != nil || word == "task", "expected command, query, edit, event, task or child, not \(word)")
        made.isIndirect = try scanner.take("indirect ")
        made.name = try identifier("the name of the \(word)")
        if try scanner.sees("(") { made.parameters = try fields() }
        if try scanner.take("or ") { made.byIndex = try identifier("the name of the case by index") }
        try clauses(&made)
        if made.kind == nil {
            try requireUnique("task", number, made.name, among: schema.tasks.map { ($0.number, $0.name) })
            schema.tasks.append(made)
        } else {
            try requireUnique("action", number, made.name, among: schema.actions.map { ($0.number, $0.name) })
            schema.actions.append(made)
        }
    }

    private mutating func clauses(_ made: inout Schema.Case) throws(InterfaceError) {
        while true {
            if try scanner.take("changes ") {
                let names = try list()
                made.changed = names == ["none"] ? [] : names
            } else if try scanner.take("overwrites ") {
                made.overwritten = try list()
            } else if try scanner.take("creates ") {
                made.created = try scanner.word("the parameter that holds what is created")
            } else if try scanner.take("fails ") {
                made.failure = try literal()
            } else {
                return
            }
        }
    }

    private mutating func fields() throws(InterfaceError) -> [Schema.Field] {
        try scanner.expect("(")
        var fields: [Schema.Field] = []
        while try !scanner.take(")") {
            let field = try field()
            let others = fields.map { (field.form == .plain ? $0.number : -1, $0.name) }
            try requireUnique("field", field.number, field.name, among: others)
            fields.append(field)
            _ = try scanner.take(",")
        }
        return fields
    }

    private mutating func field() throws(InterfaceError) -> Schema.Field {
        var field = Schema.Field()
        let word = try scanner.word("the number of a field, inline or whole")
        field.documentation = scanner.documentation
        field.line = scanner.line
        switch word {
        case "inline": field.form = .inline
        case "whole": field.form = .whole
        default: field.number = try number(word, "the number of a field")
        }
        field.label = try scanner.take("_ ") ? "_" : try identifier("the name of the field")
        field.name = try scanner.sees(":") ? field.label : try identifier("the name of the field")
        field.property = field.name
        try scanner.expect(":")
        field.type = try type()
        let isTime = field.type.contains(#/\bTime\b/#)
        if isTime { field.type.replace(#/\bTime\b/#, with: "Int64") }
        // Clients recognize the times of a feature by name.
        if field.type.contains(#/\bU?Int(64)?\b/#), schema.times.updateValue(isTime, forKey: field.name) ?? isTime != isTime {
            throw scanner.failure("another \(field.name) is \(isTime ? "no" : "a") Time: give one of them another name")
        }
        try attributes(&field)
        return field
    }

    private static let attributes: [(words: String, set: @Sendable (inout Schema.Field) -> Void)] = [
        ("shown", { $0.presence = .shown }), ("required", { $0.presence = .required }), ("needed", { $0.presence = .needed }),
        ("filled", { $0.isFilledIn = true }), ("apart", { $0.isApart = true }),
        ("undone if unchanged", { $0.undo = "ifUntouched" }), ("undone never", { $0.undo = "never" }),
        ("undone by difference", { $0.undo = "byDifference" }),
    ]

    private mutating func attributes(_ field: inout Schema.Field) throws(InterfaceError) {
        next: while true {
            for (words, set) in Self.attributes where try scanner.take(words) {
                set(&field)
                continue next
            }
            if try scanner.take("was ") {
                field.formerNames.append(try scanner.word("the former name"))
            } else if try scanner.take("via ") {
                field.coding = try typeName()
            } else if try scanner.take("=") {
                throw scanner.failure(
                    "the initial value of \(field.name) is that of its type (0, false, empty or none), which the log leaves out: remove the default"
                )
            } else {
                break
            }
        }
        try scanner.require(
            field.undo == nil || field.row == nil && !field.isNextID, "\(field.name) is undone row by row: remove the rule")
        try scanner.require(
            field.undo != "byDifference" || field.type == "Int64" && field.coding == nil,
            "only an Int64 without a coding is undone by difference")
        try scanner.require(
            !field.isOptional || field.presence != .needed, "\(field.name) is needed and may be absent: remove one of both")
    }

    private mutating func changes(of row: String) throws(InterfaceError) -> [Schema.Field] {
        guard let known = schema.types.first(where: { $0.name == row }), case .record(let fields, isRow: true) = known.content
        else { throw scanner.failure("there is no row \(row) above") }
        try scanner.expect("(")
        var changed: [Schema.Field] = []
        while try !scanner.take(")") {
            let name = try scanner.word("the name of a field")
            guard var field = fields.first(where: { $0.name == name }) else {
                throw scanner.failure("\(row) has no field \(name)")
            }
            try scanner.require(!changed.contains { $0.name == name }, "there is another field \(name)")
            try scanner.require(
                field.form == .plain && field.coding == nil && !field.isOptionalList
                    && !["String?", "UInt64?", "Bool?", "Int?"].contains(field.type),
                "an edit can't set \(name): it is optional or encoded by another type")
            field.type = field.isOptional ? "FieldChange<\(field.type.dropLast())>?" : field.type + "?"
            (field.presence, field.isApart, field.label) = (.optional, false, name)
            changed.append(field)
        }
        return changed
    }

    private mutating func choices() throws(InterfaceError) -> [Schema.Choice] {
        try scanner.expect("(")
        var choices: [Schema.Choice] = []
        while try !scanner.take(")") {
            let word = try scanner.word("a number")
            let documentation = scanner.documentation
            guard let number = Int(word), number == choices.count else {
                throw scanner.failure("expected \(choices.count), not \(word): values are numbered from 0")
            }
            let name = try identifier("a name", notOf: "allCases shape")
            try scanner.require(!choices.contains { $0.name == name }, "there is another value \(name)")
            choices.append(.init(number: number, name: name, documentation: documentation))
        }
        try scanner.require(!choices.isEmpty, "a choice has at least one value")
        return choices
    }

    private mutating func literal() throws(InterfaceError) -> String {
        try scanner.expect("\"")
        return try scanner.text(upTo: "\"")
    }

    private mutating func list() throws(InterfaceError) -> [String] {
        var names = [try scanner.word("the name of a field")]
        while try scanner.take(",") { names.append(try scanner.word("the name of a field")) }
        return names
    }

    private mutating func camelCased(_ noun: String) throws(InterfaceError) -> String {
        let name = try scanner.word("the name of the \(noun)")
        try scanner.require(
            name.wholeMatch(of: #/[A-Z][A-Za-z0-9]*/#) != nil,
            "\(name) is not the name of a \(noun): it is written in UpperCamelCase")
        return name
    }

    /// - Parameter declared: the names that the generated Swift declares in the same place.
    private mutating func identifier(_ expected: String, notOf declared: String = "") throws(InterfaceError) -> String {
        let name = try scanner.word(expected)
        try scanner.require(name.first?.isLowercase == true, "\(name) is not \(expected): it begins with a small letter")
        try scanner.require(
            !declared.split(separator: " ").contains { $0 == name },
            "\(name) is a name of the generated Swift: choose another name")
        try scanner.require(!Self.reserved.contains(name) && name != "visitor", "\(name) is a word of Swift: choose another name")
        return name
    }

    private static let reserved = Set(
        """
        as associatedtype await break case catch class continue default defer do else enum extension false for func guard if \
        import in init inout internal is let nil operator private protocol public repeat rethrows return self static \
        struct subscript super switch throw throws typealias true try var where while
        """.split(separator: " ").map(String.init))

    private mutating func typeName() throws(InterfaceError) -> String {
        try scanner.word("the name of a type", including: [UInt8(ascii: ".")])
    }

    private mutating func type() throws(InterfaceError) -> String {
        var type: String
        if try scanner.take("[") {
            let element = try self.type()
            try scanner.require(
                !element.hasPrefix("[") && !element.hasSuffix("?"),
                "a list of \(element) can't be read back: put the element into a record")
            type = "[\(element)]"
            try scanner.expect("]")
        } else {
            type = try typeName()
            if try scanner.take("<") {
                type += "<\(try self.type())>"
                try scanner.expect(">")
            }
        }
        if try scanner.take("?") { type += "?" }
        return type
    }

    private func number(_ word: String, _ expected: String) throws(InterfaceError) -> Int {
        guard let number = Int(word) else { throw scanner.failure("expected \(expected), not \(word)") }
        try scanner.require((1...63).contains(number), "\(number) is no number from 1 to 63")
        return number
    }

    private func requireUnique(
        _ noun: String, _ number: Int, _ name: String, among others: [(number: Int, name: String)]
    ) throws(InterfaceError) {
        try scanner.require(
            !others.contains { $0.number == number }, "another \(noun) has the number \(number): give it a number of its own")
        try scanner.require(!others.contains { $0.name == name }, "there is another \(noun) \(name)")
    }

    /// Checks that the fields, with those of records in place, are encoded in the order of their numbers.
    private func check(_ fields: [Schema.Field], isOfCase: Bool = false) throws(InterfaceError) {
        if let whole = fields.first(where: { $0.form == .whole }), !isOfCase || fields.count > 1 {
            throw InterfaceError(line: whole.line, message: "whole is the form of the only parameter of an action")
        }
        for field in fields where field.form == .inline {
            guard let type = schema.types.first(where: { $0.name == field.type }) else {
                throw InterfaceError(
                    line: field.line, message: "inline takes a record of this schema, and \(field.type) is not one")
            }
            let inner =
                switch type.content {
                case .record(let fields, _), .patch(_, let fields): fields
                case .choice: [Schema.Field]()
                }
            let taken = fields.filter { $0.form == .plain }.map(\.number).max() ?? 0
            guard inner.allSatisfy({ $0.number > taken || $0.form == .inline }) else {
                throw InterfaceError(
                    line: field.line,
                    message: "the numbers of \(field.type) must be above those of the other fields, up to \(taken)")
            }
        }
    }

    private func check(_ action: Schema.Case) throws(InterfaceError) {
        func require(_ condition: Bool, _ message: @autoclosure () -> String) throws(InterfaceError) {
            if !condition { throw InterfaceError(line: action.line, message: message()) }
        }
        for field in action.parameters {
            try require(field.undo == nil, "\(field.name) is no field of a state or a row: remove the rule of its undo")
        }
        let hasClauses =
            !action.overwritten.isEmpty || action.changed != nil || action.created != nil || action.failure != nil
            || action.byIndex != nil
        try require(action.kind != nil || !hasClauses, "a task has no clauses: they belong to actions")
        for name in (action.changed ?? []) + action.overwritten {
            try require(schema.state.contains { $0.name == name }, "the state has no field \(name)")
        }
        if let name = action.created {
            try require(action.parameters.contains { $0.name == name }, "\(action.name) has no parameter \(name)")
        }
        for match in (action.failure ?? "").matches(of: #/\\\((.*?)\)/#) {
            try require(action.parameters.contains { $0.name == match.1 }, "\(action.name) has no parameter \(match.1)")
        }
        guard action.byIndex != nil else { return }
        let isTarget = action.parameters.map { id in
            (id.number, id.label, id.name, id.type) == (1, "_", "id", "UInt64") && id.presence == .optional && id.coding == nil
        }
        try require(isTarget == [true], "a case that has one by index has one parameter, `1 _ id: UInt64`")
    }
}
