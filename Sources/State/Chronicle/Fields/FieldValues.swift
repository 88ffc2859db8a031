public import ChronicleValues

struct FieldValues: FieldVisitor {
    static var changesFields: Bool { false }
    private(set) var fields: [Value.Field] = []
    private(set) var chosen = ""
    private var whole: Value?
    /// Leaves out the rows of lists, which may be millions.
    private let isSummary: Bool

    init(isSummary: Bool) { self.isSummary = isSummary }
    var value: Value { whole ?? .record(fields) }
    var choice: Value { .record([Value.Field(chosen, value)]) }
    mutating func choose(_ number: UInt32, _ name: String) { chosen = name }

    mutating func field<Part: Field>(_ field: FieldInfo, _ part: inout Part) {
        if let shown = field.shown(part) { fields.append(shown) }
    }

    mutating func rows<Row: TableRow>(_ field: FieldInfo, _ table: inout OrderedTable<Row>) {
        fields.append(Value.Field(field.name, isSummary ? [] : table.elements.value))
    }

    mutating func child<Child: Feature>(_ field: FieldInfo, _: Child.Type, _ state: inout Child.State) {
        fields.append(Value.Field(field.name, isSummary ? Child.summary(of: state) : state.value))
    }

    mutating func whole<Part: Field & CanonicalCodable>(_ field: FieldInfo, _ part: inout Part) {
        chosen = field.name
        whole = part.value
    }
}

@usableFromInline struct FieldReader: FieldVisitor {
    @usableFromInline typealias Failure = ValueMismatch

    // Until it is read as a whole, or its first field is.
    @usableFromInline var value: Value?
    @usableFromInline var record = RecordReader()
    // Former names of the next field.
    @usableFromInline var formerNames: [String] = []
    // The lowest next id that the last table allows.
    private var leastNextID: UInt64 = 1

    @usableFromInline init(_ value: Value) { self.value = value }

    @usableFromInline mutating func end() throws(ValueMismatch) {
        try open()
        try record.end()
    }

    @usableFromInline mutating func open() throws(ValueMismatch) {
        guard let value else { return }
        // Not held twice, so that taking a field out copies nothing.
        self.value = nil
        record = try RecordReader(value)
    }

    @inlinable mutating func renamed(from name: String) { formerNames.append(name) }

    /// The name under which a field is present: its own, or a former one.
    @usableFromInline mutating func found(_ name: String) throws(ValueMismatch) -> String {
        defer { formerNames = [] }
        let given = ([name] + formerNames).filter { record.holds($0) }
        if given.count > 1 { throw ValueMismatch(given[1], "this is what \(name) was called; only one of the two is expected") }
        return given.first ?? name
    }

    @inlinable mutating func former<Part: Field>(
        _ number: UInt32, _ name: String, _ type: Part.Type, _ adopt: (Part) -> Void
    ) throws(ValueMismatch) {
        if value != nil { try open() }
        if let read = try record.optional(try found(name), as: Part.self) { adopt(read) }
    }

    /// Reads a field; an optional one that is missing keeps its value.
    @inlinable mutating func field<Part: Field>(_ field: FieldInfo, _ part: inout Part) throws(ValueMismatch) {
        if value != nil { try open() }
        let name = formerNames.isEmpty ? field.name : try found(field.name)
        switch field.presence {
        case .optional, .shown: if let read = try record.optional(name, as: Part.self) { part = read }
        case .required, .needed: part = try record.required(name)
        }
    }

    @usableFromInline
    mutating func rows<Row: TableRow>(_ field: FieldInfo, _ table: inout OrderedTable<Row>) throws(ValueMismatch) {
        try open()
        let rows = try record.optional(field.name, as: [Row].self) ?? []
        leastNextID = 1
        for (index, row) in rows.enumerated() {
            guard row.id > 0 else { throw ValueMismatch("\(field.name)[\(index)].id", "this field is missing") }
            guard table.append(row, id: row.id) else {
                throw ValueMismatch("\(field.name)[\(index)].id", "the id \(row.id) is taken")
            }
            leastNextID = max(leastNextID, row.id + 1)
        }
    }

    /// Reads a number above all ids of the rows; if it is missing, the lowest.
    @usableFromInline mutating func nextID(_ field: FieldInfo, _ next: inout UInt64) throws(ValueMismatch) {
        try open()
        let given = try record.optional(field.name, as: Int64.self)
        guard given.map({ $0 >= Int64(clamping: leastNextID) }) ?? true else {
            throw ValueMismatch(field.name, "a whole number above every id is expected, at least \(leastNextID)")
        }
        next = given.map(UInt64.init) ?? leastNextID
    }

    @inlinable mutating func whole<Part: Field & CanonicalCodable>(_ field: FieldInfo, _ part: inout Part) throws(ValueMismatch) {
        guard let value else { return }
        part = try Part(value)
        self.value = nil
    }
}
