public import Fields

extension Alerts {
    /// The alerts that nobody has dismissed, and the next id.
    public struct State: Fielded {
        /// The alerts by id, the newest last; at most 100 (`Limits.alertsMax`).
        public var items = OrderedTable<Alert>()
        /// The id of the next alert, above every id that was ever handed out; at most 2^53 - 1.
        public var nextID: UInt64 = 1

        /// Makes the state that everything begins with.
        public init() {}

        /// Makes a state with these alerts, the newest last, without those whose id is 0, too large or taken.
        public init(items: [Alert], nextID: UInt64 = 1) {
            self.nextID = max(1, min(nextID, Limits.ids.upperBound + 1))
            for alert in items { append(alert) }
        }

        /// Its fields.
        public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
            try visitor.rows(1, "items", &items)
            try visitor.nextID(2, "nextID", &nextID)
        }

        /// Too many alerts.
        public var fault: ValueMismatch? {
            guard items.count > Limits.alertsMax else { return nil }
            return ValueMismatch("items", "at most \(Limits.alertsMax) alerts are expected")
        }

        /// Puts an alert behind all others; the oldest leave where there are too many.
        mutating func append(_ alert: Alert) {
            guard Limits.ids.contains(alert.id) else { return }
            raiseNextID(above: alert.id)
            guard items.append(alert, id: alert.id) else { return }
            dropOldest()
        }

        mutating func apply(_ patch: TablePatch<Alert>) {
            for place in patch.placed { raiseNextID(above: place.element.id) }
            patch.apply(to: &items) { alert, _ in Limits.ids.contains(alert.id) }
            dropOldest()
        }

        mutating func dropOldest() {
            while items.count > Limits.alertsMax, let oldest = items.id(at: 0) { items.remove(oldest) }
        }

        mutating func raiseNextID(above id: UInt64) {
            if id >= nextID, Limits.ids.contains(id) { nextID = id + 1 }
        }
    }
}

/// Something that a person should know, until somebody dismisses it.
public struct Alert: FieldedRow {
    /// Its id, a small whole number from 1 that is never used again.
    public var id: UInt64
    /// What happened, as a sentence that says what to do.
    @Exact public var text: String

    /// Makes an alert.
    public init(id: UInt64, text: String) {
        self.id = id
        self.text = text
    }

    /// Makes one without an id and a text.
    public init() { self.init(id: 0, text: "") }

    /// Its fields.
    public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
        try visitor.field(1, "id", &id, .required)
        try visitor.field(2, "text", &text, .required)
    }
}
