public import Chronicle

extension Alerts.State {
    /// Reports too many alerts.
    public var fault: ValueMismatch? {
        guard items.count > Alerts.Limits.alertsMax else { return nil }
        return ValueMismatch("items", "at most \(Alerts.Limits.alertsMax) alerts are expected")
    }

    mutating func dropOldest() {
        while items.count > Alerts.Limits.alertsMax, let oldest = items.id(at: 0) { items.remove(oldest) }
    }
}
