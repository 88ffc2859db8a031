import ActionCoding
import PersistentCollections
import Reducing

/// Collects the form by name of what it is shown.
struct FieldValues: FieldVisitor {
    private(set) var fields: [Value.Field] = []
    private(set) var chosen = ""
    private var whole: Value?
    private let content: Content

    /// What is collected of lists, and of children.
    enum Content {
        case everything
        /// Lists without their rows, which may be millions.
        case outline
        /// Of children what they show.
        case view
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
        fields.append(Value.Field(name, content == .outline ? [] : table.elements.value))
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
            case .outline: Child.outline(of: state)
            case .view: Child.view(of: state)
            }
        fields.append(Value.Field(name, value))
    }

    mutating func whole<Part: Field & CanonicalCodable>(_ number: UInt32, _ name: String, _ part: inout Part) {
        chosen = name
        whole = part.value
    }
}

/// Reads what it is shown from a form by name.
struct FieldReader: FieldVisitor {
    typealias Failure = ValueMismatch

    private var record: RecordReader?
    // What a case stands for, until it is read as a whole.
    private var value: Value?
    // The next id that the rows leave.
    private var leastNextID: UInt64 = 1

    init(_ record: RecordReader) { self.record = record }

    /// Begins to read what stands under the name of a case.
    init(choice value: Value) { self.value = value }

    func end() throws(ValueMismatch) {
        if let record { return try record.end() }
        if let value { try RecordReader(value).end() }
    }

    mutating func field<Part: Field>(
        _ number: UInt32, _ name: String, _ part: inout Part, _ presence: FieldPresence, undone rule: UndoRule
    ) throws(ValueMismatch) {
        switch presence {
        case .optional, .shown:
            if let read: Part = try reading({ (record) throws(ValueMismatch) in try record.optional(name) }) { part = read }
        case .required, .needed:
            part = try reading { (record) throws(ValueMismatch) in try record.required(name) }
        }
    }

    mutating func rows<Row: FieldedRow>(
        _ number: UInt32, _ name: String, _ table: inout OrderedTable<Row>, undone rule: RowUndoRule
    ) throws(ValueMismatch) {
        let rows: [Row] = try reading { (record) throws(ValueMismatch) in try record.optional(name) } ?? []
        for (index, row) in rows.enumerated() {
            guard row.id > 0 else { throw ValueMismatch("\(name)[\(index)].id", "this field is missing") }
            guard table.append(row, id: row.id) else {
                throw ValueMismatch("\(name)[\(index)].id", "the id \(row.id) is taken")
            }
            leastNextID = max(leastNextID, row.id + 1)
        }
    }

    mutating func nextID(_ number: UInt32, _ name: String, _ next: inout UInt64) throws(ValueMismatch) {
        let given: Int64? = try reading { (record) throws(ValueMismatch) in try record.optional(name) }
        guard given.map({ $0 >= Int64(clamping: leastNextID) }) ?? true else {
            throw ValueMismatch(name, "a whole number above every id is expected, at least \(leastNextID)")
        }
        next = given.map(UInt64.init) ?? leastNextID
    }

    mutating func whole<Part: Field & CanonicalCodable>(
        _ number: UInt32, _ name: String, _ part: inout Part
    ) throws(ValueMismatch) {
        guard let value else { return }
        part = try Part(value)
        self.value = nil
    }

    private mutating func reading<Result>(
        _ body: (inout RecordReader) throws(ValueMismatch) -> Result
    ) throws(ValueMismatch) -> Result {
        var record: RecordReader
        if let begun = self.record { record = begun } else { record = try RecordReader(value ?? [:]) }
        // Not held twice, so that taking a field out copies nothing.
        self.record = nil
        let result = try body(&record)
        self.record = record
        return result
    }
}

/// Collects what every value looks like.
struct FieldShapes: FieldVisitor {
    private(set) var fields: [Shape.Field] = []
    private(set) var chosen = ""
    private(set) var whole: Shape?

    mutating func choose(_ number: UInt32, _ name: String) { chosen = name }

    mutating func field<Part: Field>(
        _ number: UInt32, _ name: String, _ part: inout Part, _ presence: FieldPresence, undone rule: UndoRule
    ) {
        fields.append(Shape.Field(name, Part.shape, isOptional: presence == .optional))
    }

    mutating func rows<Row: FieldedRow>(
        _ number: UInt32, _ name: String, _ table: inout OrderedTable<Row>, undone rule: RowUndoRule
    ) {
        fields.append(Shape.Field(name, .list(Row.shape)))
    }

    mutating func nextID(_ number: UInt32, _ name: String, _ next: inout UInt64) { fields.append(Shape.Field(name, .int)) }

    mutating func child<Child: Feature>(
        _ number: UInt32, _ name: String, _ feature: Child.Type, _ state: inout Child.State
    ) where Child.State: Fielded {
        fields.append(Shape.Field(name, Child.shape))
    }

    mutating func whole<Part: Field & CanonicalCodable>(_ number: UInt32, _ name: String, _ part: inout Part) {
        chosen = name
        whole = Part.shape
    }
}
