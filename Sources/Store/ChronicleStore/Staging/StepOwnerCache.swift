/// A cache of the latest steps and their uids: continuing one of them does not read the log.
struct StepOwnerCache: Sendable {
    private var slots: [(step: UInt64, origin: UInt32)] = []

    mutating func note(_ step: UInt64, of origin: UInt32) {
        if slots.isEmpty { slots = Array(repeating: (0, 0), count: Limits.recentStepsMax) }
        slots[Self.slot(of: step)] = (step, origin)
    }

    /// Whether the cache knows this as a step of the uid; if not, the log must be read.
    func contains(_ step: UInt64, of origin: UInt32) -> Bool {
        !slots.isEmpty && step > 0 && slots[Self.slot(of: step)] == (step, origin)
    }

    /// Clears the cache, because sequences will be assigned again.
    mutating func forget() { slots = [] }

    private static func slot(of step: UInt64) -> Int { Int(step % UInt64(Limits.recentStepsMax)) }
}
