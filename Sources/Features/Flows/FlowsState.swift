public import Fields

extension Flows {
    /// The open flows, and the next id.
    public struct State: Fielded {
        /// The open flows by id, in the order in which they were started.
        public var items = OrderedTable<Flow>()
        /// The id of the next flow, above every id that was ever handed out; at most 2^53 - 1.
        public var nextID: UInt64 = 1
        /// The flow whose time was over last; 0: none.
        public var timedOut: UInt64 = 0

        /// Makes the state that everything begins with.
        public init() {}

        /// Makes a state with these flows, without those whose id is 0, too large or taken.
        public init(items: [Flow], nextID: UInt64 = 1) {
            for flow in items where Limits.ids.contains(flow.id) { self.items.append(flow, id: flow.id) }
            self.nextID = max(1, min(nextID, Limits.ids.upperBound + 1))
            for flow in items { raiseNextID(above: flow.id) }
        }

        /// Its fields.
        public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
            try visitor.rows(1, "items", &items)
            try visitor.nextID(2, "nextID", &nextID)
            try visitor.field(3, "timedOut", &timedOut, .optional, undone: .ifUntouched)
        }

        /// The open flow of a kind; there is at most one.
        public func flow(of kind: String) -> Flow? { first { $0.kind.hasSameBytes(as: kind) } }

        /// The open flow for whose result a flow waits, if it does.
        public func child(of id: UInt64) -> Flow? { id == 0 ? nil : first { $0.parent == id } }

        mutating func raiseNextID(above id: UInt64) {
            if id >= nextID, Limits.ids.contains(id) { nextID = id + 1 }
        }

        private func first(where isMeant: (Flow) -> Bool) -> Flow? {
            var found: Flow?
            items.forEach { _, flow in
                if isMeant(flow) { found = flow }
                return found == nil
            }
            return found
        }
    }
}
