import Chronicle
import TodoAPI

/// The strip's marks for alerts and invariants.
struct StripMarks {
    private static let alertsMax = 200

    struct Invariant: Equatable {
        var name: String
        var record: UInt64
        var holds: Bool
    }

    /// The records that changed the alerts.
    private(set) var alerts: [UInt64] = []
    private(set) var invariants: [Invariant] = []
    var areAlertsStale = true
    var areInvariantsStale = true
    private var incoming: [UInt64] = []

    /// Blame uses the path index and reads no records.
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

    /// Checks new records for relevant changes.
    mutating func note(_ records: [RecordMessage], isGap: Bool) {
        if isGap || records.contains(where: { $0.action?["alerts"] != nil }) { areAlertsStale = true }
        if isGap || records.contains(where: { $0.kind == "invariant" }) { areInvariantsStale = true }
    }

    mutating func forgetAlerts() { incoming = [] }
}
