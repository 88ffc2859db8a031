/// The declarations of a schema file: the state, types, actions, tasks and children of one feature.
struct Schema {
    var imports: [String] = []
    var isPublic = false
    var name = ""
    var documentation: [String] = []
    /// The fields of the state; empty for a feature that is put together from children.
    var state: [Field] = []
    var stateDocumentation: [String] = []
    var types: [NamedType] = []
    var actions: [Case] = []
    var tasks: [Case] = []
    var children: [Child] = []
    /// Whether the numbers with these names are of the type `Time`.
    var times: [String: Bool] = [:]
    var refusals: [(name: String, documentation: [String])] = []

    struct Child {
        var number: Int
        var name: String
        var feature: String
        /// Whether its state changes rarely, so that copies of the whole state share it.
        var isApart: Bool
        /// Whether its reducers ask for work; the compiler rejects a wrong answer.
        var hasTasks: Bool
        var documentation: [String]
    }

    struct NamedType {
        var name: String
        var content: Content
        var documentation: [String]

        enum Content {
            case record([Field], isRow: Bool)
            case patch(row: String, [Field])
            /// One of several names; the first one has the number 0 and is the initial value.
            case choice([Choice], isNumber: Bool)
        }
    }

    struct Choice {
        var number: Int
        var name: String
        var documentation: [String]
    }

    /// A field of a state or a record, or a parameter of a case.
    struct Field {
        enum Form { case plain, inline, whole }

        var form = Form.plain
        /// From 1 to 63; 0 for what has no number of its own.
        var number = 0
        var label = ""
        var name = ""
        var property = ""
        var type = ""
        var presence = Presence.optional
        var isFilledIn = false
        var isApart = false
        /// How an undo treats a change of the field, as an `UndoRule`.
        var undo: String?
        var formerNames: [String] = []
        var coding: String?
        var documentation: [String] = []
        var line = 0
    }

    enum Presence { case optional, shown, required, needed }

    enum Kind: String { case command, query, edit, event }

    struct Case {
        var number: Int
        var name: String
        var kind: Kind?
        var isIndirect = false
        /// A case that names the row by its index, of a case that names it by its id.
        var byIndex: String?
        var parameters: [Field] = []
        /// The names of the fields of the state that the action is about; all if the schema does not say.
        var changed: [String]?
        var overwritten: [String] = []
        /// The name of the parameter that holds what the action creates.
        var created: String?
        /// The sentence of a failure: the text of a Swift string literal.
        var failure: String?
        var documentation: [String] = []
        var line = 0
    }
}

extension Schema.Field {
    /// The type of a list of rows in the state.
    var row: String? { type.hasPrefix("Table<") ? String(type.dropFirst(6).dropLast()) : nil }

    enum Size { case word, optionalWord, other }

    /// How it is aligned in memory.
    var size: Size {
        switch swiftType {
        case "Int?", "Int64?", "UInt64?": .optionalWord
        case "Int", "Int64", "UInt64": .word
        default: isText || type.hasPrefix("[") || row != nil ? .word : .other
        }
    }

    var isNextID: Bool { type == "NextID" }
    var swiftType: String { row.map { "OrderedTable<\($0)>" } ?? (isNextID ? "UInt64" : type) }
    var isOptional: Bool { type.hasSuffix("?") }

    /// A list that may be absent is encoded as one message, so that an empty list is not an absent one.
    var isOptionalList: Bool { type.hasPrefix("[") && isOptional }
    var isText: Bool { ["String", "String?", "[String]", "[String]?"].contains(type) }

    /// Whether Swift callers may leave the parameter out.
    var hasDefault: Bool { form == .plain && (isFilledIn || label != "_" && (presence == .optional || presence == .shown)) }

    /// The position in the order of encoding: fields in place of others come last.
    var position: Int { form == .inline ? .max : number }
}
