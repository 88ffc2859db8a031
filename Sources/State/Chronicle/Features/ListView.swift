public import ChronicleValues

/// A list of a state, read page by page, so that it never exists as a whole as values.
public struct ListView: Sendable {
    /// Its path: `todos.items`.
    public var path: String
    public var count: Int
    /// The elements in a range within `0..<count`.
    public var elements: @Sendable (Range<Int>) -> [Value]
    /// Finds the element with an id; `nil` if the list has no index of ids.
    public var find: (@Sendable (Int64) -> Value?)?
    /// Reads only the fields with some names; `nil` if elements are read as a whole.
    public var selecting: (@Sendable ([String]) -> ListColumns)?

    public init(
        path: String, count: Int, elements: @escaping @Sendable (Range<Int>) -> [Value],
        find: (@Sendable (Int64) -> Value?)? = nil,
        selecting: (@Sendable ([String]) -> ListColumns)? = nil
    ) { (self.path, self.count, self.elements, self.find, self.selecting) = (path, count, elements, find, selecting) }

    /// The same list in the state of a parent.
    public func under(_ name: String) -> ListView {
        var list = self
        list.path = path.isEmpty ? name : name + "." + path
        return list
    }

    /// The element with an id; without an index of ids all elements are searched.
    public func element(ofID id: Int64) -> Value? {
        if let find { return find(id) }
        return elements(0..<count).first { $0["id"] == .int(id) }
    }

    /// Some fields of the elements, for reading few fields of many elements.
    public func columns(_ names: [String]) -> ListColumns {
        if let selecting { return selecting(names) }
        return ListColumns(names: names, of: elements)
    }

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

public struct ListColumns: Sendable {
    public var names: [String]
    /// The columns that are texts or lists of texts, as bits; signatures cover their texts.
    public var texts: UInt64
    /// Passes the elements in a range within `0..<count` to a reader without copying them.
    ///
    /// A stage is a set of columns, as bits; the reader decides after each stage of an element whether it wants the next.
    public var show: @Sendable (Range<Int>, _ stages: [UInt64], any ColumnReader) -> Void

    public init(
        names: [String], texts: UInt64 = 0, show: @escaping @Sendable (Range<Int>, _ stages: [UInt64], any ColumnReader) -> Void
    ) {
        (self.names, self.texts) = (names, texts)
        self.show = show
    }

    public init(names: [String], of elements: @escaping @Sendable (Range<Int>) -> [Value]) {
        self.init(names: names) { places, stages, reader in
            for element in elements(places) {
                reader.readStages(stages) { bits in
                    for column in names.indices where bits & 1 << UInt64(column) != 0 {
                        reader.readAny(column, element[names[column]] ?? .null)
                    }
                }
                if !reader.endElement() { return }
            }
        }
    }

    /// The columns of the elements in a range, element by element; `null` for missing fields.
    public func values(_ places: Range<Int>) -> [Value] {
        let collector = ColumnCollector(columns: names.count)
        show(places, [.max], collector)
        return collector.values
    }
}

/// Reads columns of one element after the other, in any order of columns; a text is passed without making a value of it.
public protocol ColumnReader: AnyObject {
    /// The columns and texts that an element must have; other elements may be skipped.
    var needed: Signature { get }
    /// The cache of signatures; `nil` disables it.
    var memory: ListMemory? { get }
    func readNothing(_ column: Int)
    /// Any field; usually one that is neither a text nor a list of texts.
    func read(_ column: Int, _ value: Value)
    func read(_ column: Int, text: String)
    func read(_ column: Int, texts: [String])
    /// Ends a stage. Returns whether to read the next stage of this element.
    func endStage() -> Bool
    /// Ends an element. Returns whether to read the next element.
    func endElement() -> Bool
}

extension ColumnReader {
    public var needed: Signature { Signature() }
    public var memory: ListMemory? { nil }

    func readAny(_ column: Int, _ value: Value) {
        switch value {
        case .null: readNothing(column)
        case .text(let text): read(column, text: text)
        case .list(let elements) where elements.allSatisfy({ $0.text != nil }): read(column, texts: elements.compactMap(\.text))
        case .bool, .int, .double, .list, .record: read(column, value)
        }
    }

    /// Reads the stages of an element until the reader ends them.
    @inlinable func readStages(_ stages: [UInt64], _ show: (UInt64) -> Void) {
        for index in stages.indices {
            if stages[index] != 0 { show(stages[index]) }
            if !endStage() { return }
        }
    }
}

public final class ColumnCollector: ColumnReader {
    public private(set) var values: [Value] = []
    private var element: [Value]

    public init(columns: Int) { element = Array(repeating: .null, count: columns) }
    public func readNothing(_ column: Int) { element[column] = .null }
    public func read(_ column: Int, _ value: Value) { element[column] = value }
    public func read(_ column: Int, text: String) { element[column] = .text(text) }
    public func read(_ column: Int, texts: [String]) { element[column] = .list(texts.map { .text($0) }) }
    public func endStage() -> Bool { true }
    public func endElement() -> Bool {
        values += element
        for column in element.indices { element[column] = .null }
        return true
    }
}

/// A cache for repeated reads of lists: one part per type, which can always be computed again.
public final class ListMemory {
    private var parts: [ObjectIdentifier: Any] = [:]

    public init() {}
    public func take<Part>(_ type: Part.Type) -> Part? { parts.removeValue(forKey: ObjectIdentifier(type)) as? Part }
    public func put<Part>(_ part: consuming Part) { parts[ObjectIdentifier(Part.self)] = part }
}

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
