import ChronicleStore

/// Counts the attempts of an undo and the commits that overtook it.
struct Attempts {
    private var count = 0
    private var overtakings = 0

    /// Whether to block other undos; new records of the steps can't be blocked.
    var wantTurn: Bool { overtakings >= HistoryLimits.overtakingsMax }

    /// Records a failure that is worth a retry; throws any other, and `.busy` after too many.
    mutating func note(_ error: StoreError) throws(StoreError) {
        switch error {
        case .overtaken: overtakings += 1
        case .wentOn: overtakings = 0
        default: throw error
        }
        count += 1
        guard count < HistoryLimits.undoAttemptsMax else { throw .busy }
    }

    /// Retries during a turn; `nil` when the turn is over.
    mutating func goOn<Answer>(inTurn attempt: () async throws(StoreError) -> Answer) async throws(StoreError) -> Answer? {
        let end = monotonicNanoseconds() + HistoryLimits.turnNanosecondsMax
        for _ in 0..<HistoryLimits.turnAttemptsMax where wantTurn && monotonicNanoseconds() < end {
            do throws(StoreError) { return try await attempt() } catch { try note(error) }
        }
        return nil
    }
}
