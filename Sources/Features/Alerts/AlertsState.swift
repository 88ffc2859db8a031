public import PersistentCollections
import Reducing
import Restoring

extension Alerts {
    /// The alerts that nobody has dismissed, and the next id.
    public struct State: Sendable, Equatable {
        /// The alerts by id, the newest last; at most `Limits.alertsMax`.
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
