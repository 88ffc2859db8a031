public import ChronicleValues

extension ViewList {
    /// A list that shows the rows of a table, each as a record that depends on the row alone.
    ///
    /// Only pages that two tables do not share are compared. A row has changed if its record has.
    @inlinable public init<Row: TableRow>(
        _ table: OrderedTable<Row>, at path: String, _ shown: @escaping @Sendable (Row) -> Value
    ) {
        self.init(ListView(path: path, count: table.count) { table.values(at: $0, shown) }, of: table) { now, before, limit in
            now.changes(from: before, limit: limit) { $0 == $1 || shown($0) == shown($1) }?.map { Change($0, in: "", shown) }
        }
    }
}

extension ListView {
    init<Row: TableRow>(_ table: OrderedTable<Row>, at path: String) {
        self.init(
            path: path, count: table.count,
            elements: { Row.values(at: $0, of: table) },
            find: { id in UInt64(exactly: id).flatMap { table.read($0, \.value) } },
            selecting: { names in
                let selection = FieldSelection(names, of: Row.self)
                return ListColumns(names: selection.names, texts: selection.texts) {
                    Row.show(selection.bits, $1, at: $0, of: table, to: $2)
                }
            })
    }
}

@usableFromInline struct FollowerFinder<Subject: FieldCoding>: FieldVisitor {
    @inlinable static var changesFields: Bool { false }
    /// The remaining names, and the numbers of the children that the others led to.
    @usableFromInline var names: ArraySlice<String>
    @usableFromInline var children: [UInt32] = []
    @usableFromInline let fields: [String]?
    @usableFromInline var found: PlaceFollower<Subject>?

    @inlinable init(_ names: [String], reading fields: [String]?) {
        self.names = names[...]
        self.fields = fields
    }

    @inlinable func isNext(_ field: FieldInfo) -> Bool { names.first?.hasSameBytes(as: field.name) == true }

    @inlinable mutating func field<Part: Field>(_ field: FieldInfo, _ part: inout Part) {
        guard names.count == 1, isNext(field) else { return }
        found = .value { [part, children] state in
            let part = state.heldField(field.number, in: children, like: part)
            return field.presence == .optional && part.isInitial ? .null : part.value
        }
    }

    @inlinable mutating func rows<Row: TableRow>(_ field: FieldInfo, _ table: inout OrderedTable<Row>) {
        guard names.count == 1, isNext(field) else { return }
        let selection = FieldSelection(fields, of: Row.self)
        let held = { @Sendable [table, children] (state: inout Subject) in
            state.heldField(field.number, in: children, like: table)
        }
        let bits = selection.bits
        found = .list(
            ListFollower(
                fields: selection.names, count: { held(&$0).count },
                differences: { old, new, body in Row.differences(from: held(&old), to: held(&new), bits, body) }))
    }

    @inlinable mutating func child<Child: Feature>(_ field: FieldInfo, _: Child.Type, _ state: inout Child.State) {
        guard names.count > 1, isNext(field) else { return }
        let outer = names
        names.removeFirst()
        children.append(field.number)
        state.visit(&self)
        names = outer
        children.removeLast()
    }
}
