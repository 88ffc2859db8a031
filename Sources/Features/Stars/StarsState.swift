public import Fields

extension Stars {
    /// The star buttons that don't stand as they began, in the order of their ids' bytes.
    ///
    /// A button that stands as it began (no star, count 0) is not kept, so giving a star and taking it back leaves no trace.
    public struct State: Fielded {
        /// The buttons that don't stand as they began, each under its id.
        private var items = StarItems()

        /// A star button with its id.
        public typealias Entry = StarItems.Entry

        /// The buttons in the order of their ids' bytes.
        public var entries: [Entry] { items.entries }

        /// Makes the state that everything begins with.
        public init() {}

        /// Its fields.
        public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
            try visitor.field(1, "items", &items, .shown)
        }

        /// Makes a state with these buttons; of two with the same id the last counts, and impossible ids are left out.
        public init(items: KeyValuePairs<String, Star>) {
            for (id, star) in items { self[id] = star }
        }

        /// The button of an id; one that was never pressed stands as all begin.
        ///
        /// Setting the button of an impossible id changes nothing.
        public subscript(id: String) -> Star {
            get { items[id] }
            set { if Limits.allows(id: id) { items[id] = newValue } }
        }

        func contains(_ id: String) -> Bool { items.contains(id) }
    }
}
