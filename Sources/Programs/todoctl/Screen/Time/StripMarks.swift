import Chronicle
import TodoAPI

/// What is marked on the strip beside bookmarks and steps: where the alerts changed, and where the invariants were set.
struct StripMarks {
    /// So many alerts are marked at most, the newest.
    private static let alertsMax = 200

    /// A condition that every state must meet.
    struct Invariant: Equatable {
        var name: String
        /// The record that set it.
        var record: UInt64
        /// Whether it holds now.
        var holds: Bool
    }

    /// The records that changed the alerts.
    private(set) var alerts: [UInt64] = []
    private(set) var invariants: [Invariant] = []
    /// Whether there may be other ones by now.
    var areAlertsStale = true
    var areInvariantsStale = true
    private var incoming: [UInt64] = []

    /// Asks which records changed the alerts: they are noted beside the log, so no record is read for it.
    static let alertsCall = ScreenCall(BlameMethod.self, .init(path: "alerts.items", history: true), over: .own, more: true)
    static let invariantsCall = ScreenCall(InvariantsMethod.self, NoFields(), over: .questions, more: true)

    mutating func take(alerts answer: BlameMethod.Output, isLast: Bool) {
        incoming += answer.origins.map(\.sequence)
        guard isLast else { return }
        (alerts, incoming) = (incoming.suffix(Self.alertsMax), [])
    }

    mutating func take(invariants answer: InvariantsMethod.Output) {
        invariants = answer.invariants.map { Invariant(name: $0.name, record: $0.record, holds: $0.holds != false) }
    }

    /// Takes note of records that have come.
    mutating func note(_ records: [RecordMessage], isGap: Bool) {
        if isGap || records.contains(where: { $0.action?["alerts"] != nil }) { areAlertsStale = true }
        if isGap || records.contains(where: { $0.kind == "invariant" }) { areInvariantsStale = true }
    }

    /// Takes note that the daemon does not tell the alerts.
    mutating func forgetAlerts() { incoming = [] }
}
