import ActionCoding
public import Restoring

extension Alerts {
    /// What can happen to the alerts: as dispatched, and, with the id filled in by `prepare`, as logged.
    public enum Action: Sendable {
        /// A fact: something happened that a person should know. Dispatched without an id; logged with it.
        case raise(String, id: UInt64 = 0)
        /// Takes one alert away.
        case dismiss(UInt64)
        /// Takes all alerts away.
        case dismissAll
        /// Puts alerts back, each with its id to its place, and takes others away: what happened is taken back. No client dispatches it.
        case restore(TablePatch<Alert>)
    }
}

extension Alerts.Action: Equatable {
    /// Compares the canonical bytes, so texts by their bytes.
    public static func == (left: Self, right: Self) -> Bool { left.canonicalBytes == right.canonicalBytes }
}
