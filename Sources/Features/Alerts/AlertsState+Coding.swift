public import ActionCoding
import PersistentCollections
public import Reducing

extension Alerts.State: ValueConvertible {
    /// `{items, nextID}`.
    public var value: Value { ["items": items.elements.value, "nextID": .int(Int64(clamping: nextID))] }

    /// Reads `{items, nextID}`; what is left out has its initial value, and `nextID` that above all ids.
    public init(_ value: Value) throws(ValueMismatch) {
        self.init()
        var record = try RecordReader(value)
        let alerts: [Alert] = try record.optional("items") ?? []
        let next = try record.optional("nextID", as: Int64.self)
        try record.end()
        guard alerts.count <= Alerts.Limits.alertsMax else {
            throw ValueMismatch("items", "at most \(Alerts.Limits.alertsMax) alerts are expected")
        }
        for (index, alert) in alerts.enumerated() {
            guard !items.contains(alert.id) else { throw ValueMismatch("items[\(index)].id", "the id \(alert.id) is taken") }
            append(alert)
        }
        guard let next else { return }
        guard next >= Int64(clamping: nextID) else {
            throw ValueMismatch("nextID", "a whole number above every id is expected, at least \(nextID)")
        }
        nextID = UInt64(next)
    }
}

extension Alerts.State: CanonicalCodable {
    /// Fields: 1 items (a list of alerts in their order), 2 the highest id that was handed out.
    public func encode(into writer: inout CanonicalWriter) {
        items.forEach { _, alert in
            writer.message(1, alert)
            return true
        }
        writer.field(2, nextID - 1)
    }

    /// Reads what `encode` wrote; too many alerts, and ids that are 0, twice there or above the highest are errors.
    public init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        self.init()
        var highest: UInt64 = 0
        while let number = try cursor.nextField(in: bytes) {
            switch number {
            case 1:
                let alert: Alert = try cursor.message(bytes)
                guard alert.id > 0, items.count < Alerts.Limits.alertsMax, items.append(alert, id: alert.id) else {
                    throw CanonicalError(.notCanonical, at: cursor.offset)
                }
                highest = max(highest, alert.id)
            case 2: nextID = try cursor.id(bytes) + 1
            default: throw cursor.unknown()
            }
        }
        guard highest < nextID else { throw CanonicalError(.notCanonical, at: cursor.offset) }
    }
}
