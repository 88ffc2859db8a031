/// The difference between two tables: the rows to remove, then the rows to put at an index.
///
/// It restores a list that a request replaced, without logging the whole list.
public struct TablePatch<Element: TableRow>: Sendable, Equatable {
    /// A row and its index after the patch was applied up to this row.
    public struct Placed: FieldCoding {
        public var element: Element
        /// Its index; the row is appended if the table is shorter.
        public var index: Int

        public init(_ element: Element, at index: Int) { (self.element, self.index) = (element, index) }
        public init() { self.init(Element(), at: 0) }

        public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
            try visitor.field(1, "item", &element, .needed)
            try visitor.field(2, "index", &index, .required)
        }
    }

    public var removed: [UInt64]
    /// The rows to add, move or change, in order.
    public var placed: [Placed]

    public init() { self.init(removed: [], placed: []) }
    public init(removed: [UInt64] = [], placed: [Placed] = []) { (self.removed, self.placed) = (removed, placed) }

    public init(from old: OrderedTable<Element>, to new: OrderedTable<Element>) {
        self.init()
        for change in new.changes(from: old) ?? [] {
            switch change {
            case .remove(let id, _, _): removed.append(id)
            case .insert(_, let index, let element): placed.append(Placed(element, at: index))
            case .move(let id, _, let index):
                if let element = old[id] { placed.append(Placed(element, at: index)) }
            case .replace(_, let index, _, let element): placed.append(Placed(element, at: index))
            }
        }
    }

    public var isEmpty: Bool { removed.isEmpty && placed.isEmpty }

    /// Applies the patch to any table, without the rows that the closure doesn't allow.
    public func apply(to table: inout OrderedTable<Element>, allowing allows: (Element, OrderedTable<Element>) -> Bool) {
        for id in removed { table.remove(id) }
        for place in placed {
            let id = place.element.id
            guard allows(place.element, table) else { continue }
            if table.index(of: id) == place.index {
                table.update(id) { $0 = place.element }
            } else {
                table.remove(id)
                table.insert(place.element, id: id, at: place.index)
            }
        }
    }
}

extension TablePatch: FieldCoding {
    public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
        try visitor.field(1, "removed", &removed)
        try visitor.field(2, "placed", &placed)
    }
}

/// The row that an action is about: its id, or the index at which the dispatcher saw it.
public struct RowTarget: Sendable {
    /// The id; 0 if there is an index.
    public var id: UInt64
    /// The index; `nil` if there is an id.
    public var index: Int?

    public init(id: UInt64 = 0, index: Int? = nil) { (self.id, self.index) = (id, index) }

    public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
        try visitor.field(1, "id", &id)
        try visitor.field(2, "index", &index)
        // Both at once are as wrong as neither, and become neither.
        if id != 0, index != nil { self = RowTarget() }
    }

    public var fault: ValueMismatch? {
        id == 0 && index == nil ? ValueMismatch("id", "an id is expected, or an index and no id") : nil
    }
}
