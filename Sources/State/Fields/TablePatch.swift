public import PersistentCollections

/// What makes one table of another: which rows leave, and which then stand where.
///
/// So a list that a request replaces as a whole can be put back without being written to the log as a whole.
public struct TablePatch<Element: FieldedRow>: Sendable, Equatable {
    /// A row and its index, once it and those before it in the patch are there.
    public struct Placed: Fielded {
        /// The row.
        public var element: Element
        /// Its index; behind the last where the table is shorter.
        public var index: Int

        public init(_ element: Element, at index: Int) {
            self.element = element
            self.index = index
        }

        /// Makes a row whose fields are as they begin.
        public init() { self.init(Element(), at: 0) }

        public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
            try visitor.field(1, "item", &element, .needed)
            try visitor.field(2, "index", &index, .required)
        }
    }

    /// The rows that leave, by id.
    public var removed: [UInt64]
    /// The rows that come, move or change, one after another.
    public var placed: [Placed]

    /// Makes a patch that changes nothing.
    public init() {
        removed = []
        placed = []
    }

    public init(removed: [UInt64] = [], placed: [Placed] = []) {
        self.removed = removed
        self.placed = placed
    }

    /// What makes a newer table of an older one.
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

    /// Whether nothing leaves and nothing comes.
    public var isEmpty: Bool { removed.isEmpty && placed.isEmpty }

    /// Patches a table; total, whatever both are.
    ///
    /// Rows that the closure doesn't allow are left out.
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

extension TablePatch: Fielded {
    public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
        try visitor.field(1, "removed", &removed)
        try visitor.field(2, "placed", &placed)
    }
}
