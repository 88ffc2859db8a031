/// Writes the Swift of the values of a feature: its state, rows, records, patches and choices.
struct TypeWriter {
    let schema: Schema
    static let visit = "public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure)"

    var state: [String] {
        let text = ["The state that folding the log gives."]
        return record("State", schema.state, schema.stateDocumentation.isEmpty ? text : schema.stateDocumentation, "FieldCoding")
    }

    /// A type, in an extension if its name has the form `Outer.Inner`.
    @Lines func lines(of type: Schema.NamedType) -> [String] {
        let path = type.name.split(separator: ".").map(String.init)
        let name = path.last ?? type.name
        ""
        if path.count > 1 { "extension \(path.dropLast().joined(separator: ".")) {" }
        switch type.content {
        case .record(let fields, let isRow): record(name, fields, type.documentation, isRow ? "TableRow" : "FieldCoding")
        case .patch(let row, let fields): record(name, fields, type.documentation, "FieldCoding", patching: row)
        case .choice(let choices, let isNumber): choice(name, choices, isNumber, type.documentation)
        }
        if path.count > 1 { "}" }
    }

    @Lines private func record(
        _ name: String, _ fields: [Schema.Field], _ documentation: [String], _ conformance: String, patching row: String? = nil
    ) -> [String] {
        let apart = fields.filter(\.isApart)
        let isWrapped = !apart.isEmpty || fields.contains(where: \.isText)
        SwiftText.comment(documentation)
        SwiftText.block("public struct \(name): \(conformance)\(isWrapped ? ", CustomReflectable" : "")") {
            if !apart.isEmpty { storage(of: apart) }
            // The order in memory that leaves the fewest gaps.
            for size in [Schema.Field.Size.word, .optionalWord, .other] {
                for field in fields where !field.isApart && field.size == size { property(field) }
            }
            if conformance == "TableRow" { "public static var isReadInPlace: Bool { true }" }
            initializers(name, fields)
            visit(fields)
            if conformance == "FieldCoding", name != "State" { initialTest(fields) }
            if isWrapped {
                let parts = fields.sorted { $0.position < $1.position }
                Self.mirror(parts.map { ($0.name, $0.property + ($0.isOptional ? " as Any" : "")) })
            }
            if let row { patch(fields, row) }
            if let table = fields.first(where: { $0.row != nil }) { rows(table, fields.first(where: \.isNextID)) }
        }
    }

    @Lines private func property(_ field: Schema.Field) -> [String] {
        let declaration = "var \(SwiftText.quoted(field.property)): \(field.swiftType) = \(initialValue(field))"
        SwiftText.comment(field.documentation)
        "\(field.isText ? "@ByteEqual " : "")\(field.property == field.name ? "public " : "")\(declaration)"
    }

    @Lines private func storage(of fields: [Schema.Field]) -> [String] {
        SwiftText.block("private struct OutOfLineFields: StoredOutOfLine") {
            for field in fields {
                "\(field.isText ? "@ByteEqual " : "")var \(field.name): \(field.type) = \(initialValue(field))"
            }
            "static var isReadInPlace: Bool { true }"
        }
        "private var apart = OutOfLine<OutOfLineFields>()"
        for field in fields {
            SwiftText.comment(field.documentation)
            SwiftText.block("public var \(field.name): \(field.type)") {
                "get { apart.content?.\(field.name)\(field.isOptional ? "" : " ?? " + initialValue(field)) }"
                "set { apart.value.\(field.name) = newValue }"
            }
        }
    }

    @Lines private func initializers(_ name: String, _ all: [Schema.Field]) -> [String] {
        let fields = all.filter { $0.property == $0.name }
        let parameters = fields.map { field in
            let type = field.row.map { "[\($0)]" } ?? field.swiftType
            let initial = field.row == nil ? initialValue(field) : "[]"
            let label = field.label == field.property ? field.label : "\(field.label) \(field.property)"
            let isOptional = field.hasDefault || name == "State"
            return "\(label): \(type)\(isOptional ? " = \(initial)" : "")"
        }
        "public init() {}"
        SwiftText.block("public init(\(parameters.joined(separator: ", ")))") {
            if fields.contains(where: \.isApart) {
                "var apart = OutOfLineFields()"
                for field in fields where field.isApart { "apart.\(field.property) = \(field.property)" }
                "self.apart = OutOfLine(apart)"
            }
            for field in fields where !field.isApart && field.row == nil {
                let limited = "max(1, min(\(field.property), ElementID.range.upperBound + 1))"
                "self.\(field.property) = \(field.isNextID ? limited : field.property)"
            }
            if let table = fields.first(where: { $0.row != nil }) { "for row in \(table.property) { append(row) }" }
        }
    }

    private func visit(_ fields: [Schema.Field]) -> [String] {
        var lines: [String] = []
        var isApart = false
        for field in fields.sorted(by: { $0.position < $1.position }) {
            if field.isApart != isApart {
                lines.append(isApart ? "}" : "try apart.visit(&visitor) { (apart, visitor) throws(Visitor.Failure) in")
                isApart = field.isApart
            }
            lines += field.visit(at: isApart ? "apart." + field.name : field.property, isProperty: true)
        }
        return SwiftText.block(Self.visit) { lines + (isApart ? ["}"] : []) }
    }

    /// Without encoding anything, because it is asked whenever the record is written.
    @Lines private func initialTest(_ fields: [Schema.Field]) -> [String] {
        if !fields.contains(where: { $0.presence == .needed || $0.form != .plain || $0.coding != nil }) {
            let tests = fields.map { $0.isOptional ? "self.\($0.name) == nil" : "self.\($0.name).isInitial" }
            "public var isInitial: Bool { \(tests.joined(separator: " && ")) }"
            SwiftText.block("public func writeUnlessInitial(_ number: UInt32, into writer: inout CanonicalWriter)") {
                "if !isInitial { write(number, into: &writer) }"
            }
        }
    }

    @Lines private func patch(_ fields: [Schema.Field], _ row: String) -> [String] {
        """
        /// Whether it changes nothing.
        public var isEmpty: Bool { isInitial }
        /// The changes that lead from an older row to a newer one, as far as an edit can.
        """
        SwiftText.block("public init(from old: \(row), to new: \(row))") {
            for (name, type) in fields.map({ ($0.name, $0.type) }) {
                type.hasPrefix("FieldChange")
                    ? "self.\(name) = FieldChange(from: old.\(name), to: new.\(name))"
                    : "self.\(name) = old.\(name).isSame(as: new.\(name)) ? nil : new.\(name)"
            }
        }
        "/// Sets the fields that it changes."
        SwiftText.block("public func apply(to row: inout \(row))") {
            for field in fields {
                let outcome = field.type.hasPrefix("FieldChange") ? ".outcome" : ""
                "if let value = self.\(field.name) { row.\(field.name) = value\(outcome) }"
            }
        }
    }

    @Lines private func rows(_ table: Schema.Field, _ nextID: Schema.Field?) -> [String] {
        let (name, row) = (table.property, table.row ?? "")
        if let next = nextID?.property {
            """
            /// Counts an id as handed out.
            public mutating func raiseNextID(above id: UInt64) {
            if id >= \(next), ElementID.range.contains(id) { \(next) = id + 1 }
            }
            /// Patches the rows, and counts their ids as handed out.
            public mutating func restore(_ patch: TablePatch<\(row)>) {
            for place in patch.placed { raiseNextID(above: place.element.id) }
            patch.apply(to: &self.\(name)) { row, _ in ElementID.range.contains(row.id) }
            }
            """
        }
        """
        /// Appends a row, unless its id is impossible or taken.
        public mutating func append(_ row: \(row)) {
        guard ElementID.range.contains(row.id) else { return }
        \(nextID == nil ? "" : "raiseNextID(above: row.id)")
        self.\(name).append(row, id: row.id)
        }
        """
    }

    @Lines private func choice(
        _ name: String, _ choices: [Schema.Choice], _ isNumber: Bool, _ documentation: [String]
    ) -> [String] {
        let names = choices.map(\.name)
        let (list, or) = (names.dropLast().joined(separator: ", "), choices.count > 2 ? " and " : " or ")
        let expected =
            isNumber
            ? "a whole number from 0 to \(choices.count - 1)"
            : (choices.count > 2 ? "one of " : "") + list + or + (names.last ?? "")
        SwiftText.comment(documentation)
        SwiftText.block("public enum \(name): UInt64, Sendable, CaseIterable, Comparable, Chronicle.Field") {
            for choice in choices {
                SwiftText.comment(choice.documentation)
                "case \(choice.name) = \(choice.number)"
            }
            """
            public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
            public static var shape: Shape { .\(isNumber ? "int" : "text") }
            public var isInitial: Bool { rawValue == 0 }
            public var name: String {
            switch self {
            \(names.map { "case .\($0): \"\($0)\"" }.joined(separator: "\n"))
            }
            }
            public var value: Value { \(isNumber ? ".int(Int64(rawValue))" : ".text(name)") }
            public init(_ value: Value) throws(ValueMismatch) {
            guard case .\(isNumber ? "int(let number)" : "text(let name)") = value,
            let known = \(isNumber
                ? "UInt64(exactly: number).flatMap(Self.init(rawValue:))"
                : "Self.allCases.first(where: { $0.name.hasSameBytes(as: name) })")
            else { throw ValueMismatch("", "\(expected) is expected") }
            self = known
            }
            public func write(_ number: UInt32, into writer: inout CanonicalWriter) { writer.element(number, rawValue) }
            public static func readAny(_ bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) -> Self {
            guard let known = Self(rawValue: try cursor.uintElement(bytes)) else {
            throw CanonicalError(.notCanonical, at: cursor.offset)
            }
            return known
            }
            """
        }
    }

    func initialValue(_ field: Schema.Field) -> String {
        if field.row != nil { return "\(field.swiftType)()" }
        if field.isNextID { return "1" }
        return initialValue(of: field.type)
    }

    private func initialValue(of type: String) -> String {
        if type.hasSuffix("?") { return "nil" }
        if type.hasPrefix("[") { return "[]" }
        switch type {
        case "String": return "\"\""
        case "Bool": return "false"
        case "Int", "Int64", "UInt64": return "0"
        default:
            for known in schema.types where known.name == type || known.name.hasSuffix("." + type) {
                if case .choice(let choices, _) = known.content { return ".\(choices[0].name)" }
            }
            return "\(type)()"
        }
    }

    /// The mirror of a struct: its parts by name, without wrappers and separate storage.
    @Lines static func mirror(_ parts: [(name: String, value: String)]) -> [String] {
        let children = parts.map { "\"\($0.name)\": \($0.value)" }.joined(separator: ", ")
        "/// The parts by name, for dumps and diffs."
        SwiftText.block("public var customMirror: Mirror") { "Mirror(self, children: [\(children)], displayStyle: .struct)" }
    }
}

extension Schema.Field {
    @Lines func visit(at place: String, isProperty: Bool) -> [String] {
        for name in formerNames { "visitor.renamed(from: \"\(name)\")" }
        if isFilledIn { "visitor.filledIn()" }
        if row != nil {
            "try visitor.rows(\(number), \"\(name)\", &\(place))"
        } else if isNextID {
            "try visitor.nextID(\(number), \"\(name)\", &\(place))"
        } else if form == .inline {
            "try \(place).visit(&visitor)"
        } else {
            let shown = presence == .optional ? (undo == nil ? "" : ", .optional") : ", .\(presence)"
            let rest = shown + (undo.map { ", undone: .\($0)" } ?? "")
            let coded = coding.map { ("\($0)(\(place))", ".content") }
            if let (value, content) = isOptionalList ? ("\(place).map(WholeList.init)", "?.elements") : coded {
                "var \(name)Field = \(value)"
                "try visitor.field(\(number), \"\(name)\", &\(name)Field\(rest))"
                let reading = "\(place) = \(name)Field\(content)"
                isProperty ? "if Visitor.changesFields { \(reading) }" : reading
            } else {
                "try visitor.field(\(number), \"\(name)\", &\(place)\(rest))"
            }
        }
    }
}
