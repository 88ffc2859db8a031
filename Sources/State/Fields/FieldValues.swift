import PersistentCollections
import Reducing
import Values

/// Collects the form by name of what it is shown.
struct FieldValues: FieldVisitor {
    static var changesFields: Bool { false }
    private(set) var fields: [Value.Field] = []
    private(set) var chosen = ""
    private var whole: Value?
    private let content: Content

    /// What is collected of lists, and of children.
    enum Content {
        case everything
        /// Lists without their rows, which may be millions.
        case summary
    }

    init(_ content: Content) { self.content = content }

    var value: Value { whole ?? .record(fields) }

    /// The case, and its value.
    var choice: Value { .record([Value.Field(chosen, value)]) }

    mutating func choose(_ number: UInt32, _ name: String) { chosen = name }

    mutating func field<Part: Field>(
        _ number: UInt32, _ name: String, _ part: inout Part, _ presence: FieldPresence, undone rule: UndoRule
    ) {
        if presence == .optional, part.isInitial { return }
        fields.append(Value.Field(name, part.value))
    }

    mutating func rows<Row: FieldedRow>(
        _ number: UInt32, _ name: String, _ table: inout OrderedTable<Row>, undone rule: RowUndoRule
    ) {
        fields.append(Value.Field(name, content == .summary ? [] : table.elements.value))
    }

    mutating func nextID(_ number: UInt32, _ name: String, _ next: inout UInt64) {
        fields.append(Value.Field(name, next.value))
    }

    mutating func child<Child: Feature>(
        _ number: UInt32, _ name: String, _ feature: Child.Type, _ state: inout Child.State
    ) where Child.State: Fielded {
        let value =
            switch content {
            case .everything: state.value
            case .summary: Child.summary(of: state)
            }
        fields.append(Value.Field(name, value))
    }

    mutating func whole<Part: Field & CanonicalCodable>(_ number: UInt32, _ name: String, _ part: inout Part) {
        chosen = name
        whole = part.value
    }
}

/// Collects what every value looks like.
struct FieldShapes: FieldVisitor {
    private(set) var fields: [Shape.Field] = []
    private(set) var chosen = ""
    private(set) var whole: Shape?
    // Of the next field.
    private var formerNames: [String] = []
    private var isFilledIn = false

    mutating func renamed(from name: String) { formerNames.append(name) }

    mutating func filledIn() { isFilledIn = true }

    mutating func former<Part: Field>(_ number: UInt32, _ name: String, _ type: Part.Type, _ adopt: (Part) -> Void) {
        formerNames = []
    }

    private mutating func add(_ name: String, _ shape: Shape, isOptional: Bool = false) {
        fields.append(
            Shape.Field(name, shape, isOptional: isOptional, isFilledIn: isFilledIn, formerNames: formerNames))
        (formerNames, isFilledIn) = ([], false)
    }

    mutating func choose(_ number: UInt32, _ name: String) { chosen = name }

    mutating func field<Part: Field>(
        _ number: UInt32, _ name: String, _ part: inout Part, _ presence: FieldPresence, undone rule: UndoRule
    ) {
        add(name, Part.shape, isOptional: presence == .optional)
    }

    mutating func rows<Row: FieldedRow>(
        _ number: UInt32, _ name: String, _ table: inout OrderedTable<Row>, undone rule: RowUndoRule
    ) {
        add(name, .list(Row.shape))
    }

    mutating func nextID(_ number: UInt32, _ name: String, _ next: inout UInt64) {
        filledIn()
        add(name, .int)
    }

    mutating func child<Child: Feature>(
        _ number: UInt32, _ name: String, _ feature: Child.Type, _ state: inout Child.State
    ) where Child.State: Fielded {
        add(name, Child.shape)
    }

    mutating func whole<Part: Field & CanonicalCodable>(_ number: UInt32, _ name: String, _ part: inout Part) {
        chosen = name
        whole = Part.shape
    }
}
