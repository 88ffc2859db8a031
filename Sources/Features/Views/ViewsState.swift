public import Fields

extension Views {
    /// The views that were saved, and the next id.
    public struct State: Fielded {
        /// The views by id, in the order in which they were saved.
        public var items = OrderedTable<SavedView>()
        /// The id of the next view, above every id that was ever handed out; at most 2^53 - 1.
        public var nextID: UInt64 = 1

        /// Makes the state that everything begins with.
        public init() {}

        /// Makes a state with these views, without those whose id is 0, too large or taken.
        public init(items: [SavedView], nextID: UInt64 = 1) {
            self.nextID = max(1, min(nextID, Limits.ids.upperBound + 1))
            for view in items { append(view) }
        }

        /// Its fields.
        public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
            try visitor.rows(1, "items", &items)
            try visitor.nextID(2, "nextID", &nextID)
        }

        /// The view of a name, if there is one.
        public func view(named name: String) -> SavedView? { view(named: name, except: 0) }

        func view(named name: String, except id: UInt64) -> SavedView? {
            var found: SavedView?
            items.forEach { _, view in
                if view.id != id, view.name.hasSameBytes(as: name) { found = view }
                return found == nil
            }
            return found
        }

        func count(of origin: UInt64) -> Int {
            var count = 0
            items.forEachByID { _, view in
                count += view.origin == origin ? 1 : 0
                return true
            }
            return count
        }

        mutating func append(_ view: SavedView) {
            guard Limits.ids.contains(view.id) else { return }
            raiseNextID(above: view.id)
            items.append(view, id: view.id)
        }

        mutating func apply(_ patch: TablePatch<SavedView>) {
            for place in patch.placed { raiseNextID(above: place.element.id) }
            patch.apply(to: &items) { view, _ in Limits.ids.contains(view.id) }
        }

        mutating func raiseNextID(above id: UInt64) {
            if id >= nextID, Limits.ids.contains(id) { nextID = id + 1 }
        }
    }
}

/// A filter of todos under a name.
public struct SavedView: FieldedRow {
    /// Its id, a small whole number from 1 that is never used again.
    public var id: UInt64
    /// What it is called.
    @Exact public var name: String
    /// The filter, as a person types it.
    @Exact public var filter: String
    /// What its todos are sorted by; empty: as the list is elsewhere.
    @Exact public var sort: String
    /// The uid that first saved the view; 0 for root, and for views saved by versions without this field.
    public var origin: UInt64

    /// Makes a view.
    public init(id: UInt64 = 0, name: String, filter: String, sort: String = "", origin: UInt64 = 0) {
        self.id = id
        self.name = name
        self.filter = filter
        self.sort = sort
        self.origin = origin
    }

    /// Makes one whose fields are as they begin.
    public init() { self.init(name: "", filter: "") }

    /// Its fields.
    public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
        try visitor.field(1, "id", &id, .required)
        try visitor.field(2, "name", &name, .required)
        try visitor.field(3, "filter", &filter, .required)
        try visitor.field(4, "sort", &sort)
        visitor.filledIn()
        try visitor.field(5, "origin", &origin)
    }
}
