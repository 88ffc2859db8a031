/// The steps that were begun or continued last, each with its uid: who goes on with one of them needs no look into the log.
struct RecentSteps: Sendable {
    private var slots: [(step: UInt64, origin: UInt32)] = []

    /// Notes a step of a uid; another one may have to go.
    mutating func note(_ step: UInt64, of origin: UInt32) {
        if slots.isEmpty { slots = Array(repeating: (0, 0), count: Limits.recentStepsMax) }
        slots[Self.slot(of: step)] = (step, origin)
    }

    /// Whether this is known to be a step of the uid; if not, the log knows.
    func contains(_ step: UInt64, of origin: UInt32) -> Bool {
        !slots.isEmpty && step > 0 && slots[Self.slot(of: step)] == (step, origin)
    }

    /// Lets go of all, because sequences are given out again.
    mutating func forget() { slots = [] }

    private static func slot(of step: UInt64) -> Int { Int(step % UInt64(Limits.recentStepsMax)) }
}
