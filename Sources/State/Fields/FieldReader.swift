public import PersistentCollections
public import Reducing
public import Values

/// Reads what it is shown from a form by name.
public struct FieldReader: FieldVisitor {
    /// A form that does not fit.
    public typealias Failure = ValueMismatch

    // Until it is read as a whole, or its first field is.
    @usableFromInline var value: Value?
    @usableFromInline var record = RecordReader()
    // Under which other names the next field may stand.
    @usableFromInline var formerNames: [String] = []
    // The next id that the rows leave which were read last.
    private var leastNextID: UInt64 = 1

    /// Begins to read what has fields, or what stands under the name of a case.
    @usableFromInline
    init(_ value: Value) { self.value = value }

    @usableFromInline
    mutating func end() throws(ValueMismatch) {
        try open()
        try record.end()
    }

    @usableFromInline
    mutating func open() throws(ValueMismatch) {
        guard let value else { return }
        // Not held twice, so that taking a field out copies nothing.
        self.value = nil
        record = try RecordReader(value)
    }

    /// Notes the name for the next field.
    @inlinable
    public mutating func renamed(from name: String) { formerNames.append(name) }

    /// The name under which a field stands: its own, or one that it had.
    @usableFromInline
    mutating func found(_ name: String) throws(ValueMismatch) -> String {
        defer { formerNames = [] }
        let given = ([name] + formerNames).filter { record.holds($0) }
        if given.count > 1 { throw ValueMismatch(given[1], "this is what \(name) was called; only one of the two is expected") }
        return given.first ?? name
    }

    /// What an older version wrote, if it is there.
    @inlinable
    public mutating func former<Part: Field>(
        _ number: UInt32, _ name: String, _ type: Part.Type, _ adopt: (Part) -> Void
    ) throws(ValueMismatch) {
        if value != nil { try open() }
        if let read = try record.optional(try found(name), as: Part.self) { adopt(read) }
    }

    /// A field; where it may be missing, what it is stays.
    @inlinable
    public mutating func field<Part: Field>(
        _ number: UInt32, _ name: String, _ part: inout Part, _ presence: FieldPresence, undone rule: UndoRule
    ) throws(ValueMismatch) {
        if value != nil { try open() }
        let name = formerNames.isEmpty ? name : try found(name)
        switch presence {
        case .optional, .shown: if let read = try record.optional(name, as: Part.self) { part = read }
        case .required, .needed: part = try record.required(name)
        }
    }

    /// Rows, none twice.
    public mutating func rows<Row: FieldedRow>(
        _ number: UInt32, _ name: String, _ table: inout OrderedTable<Row>, undone rule: RowUndoRule
    ) throws(ValueMismatch) {
        try open()
        let rows = try record.optional(name, as: [Row].self) ?? []
        leastNextID = 1
        for (index, row) in rows.enumerated() {
            guard row.id > 0 else { throw ValueMismatch("\(name)[\(index)].id", "this field is missing") }
            guard table.append(row, id: row.id) else {
                throw ValueMismatch("\(name)[\(index)].id", "the id \(row.id) is taken")
            }
            leastNextID = max(leastNextID, row.id + 1)
        }
    }

    /// A number above all ids of the rows; where it is missing, the least one.
    public mutating func nextID(_ number: UInt32, _ name: String, _ next: inout UInt64) throws(ValueMismatch) {
        try open()
        let given = try record.optional(name, as: Int64.self)
        guard given.map({ $0 >= Int64(clamping: leastNextID) }) ?? true else {
            throw ValueMismatch(name, "a whole number above every id is expected, at least \(leastNextID)")
        }
        next = given.map(UInt64.init) ?? leastNextID
    }

    /// What stands under the name of the case.
    @inlinable
    public mutating func whole<Part: Field & CanonicalCodable>(
        _ number: UInt32, _ name: String, _ part: inout Part
    ) throws(ValueMismatch) {
        guard let value else { return }
        part = try Part(value)
        self.value = nil
    }
}
