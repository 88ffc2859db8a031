import StoreRuntime

/// How often it was tried to take something back, and what came in between.
struct Attempts {
    private var count = 0
    private var overtakings = 0

    /// Whether others should wait.
    ///
    /// They can wait with what they take back. With what goes on nobody waits, so a turn is of no use against that.
    var wantTurn: Bool { overtakings >= HistoryLimits.overtakingsMax }

    /// Takes note of why one failed, if it is worth another; throws that otherwise, and `.busy` after too many.
    mutating func note(_ error: StoreError) throws(StoreError) {
        switch error {
        case .overtaken: overtakings += 1
        case .wentOn: overtakings = 0
        default: throw error
        }
        count += 1
        guard count < HistoryLimits.undoAttemptsMax else { throw .busy }
    }

    /// Tries in a turn; `nil` when the turn is over.
    mutating func goOn<Answer>(
        inTurn attempt: () async throws(StoreError) -> Answer
    ) async throws(StoreError) -> Answer? {
        let end = monotonicNanoseconds() + HistoryLimits.turnNanosecondsMax
        for _ in 0..<HistoryLimits.turnAttemptsMax where wantTurn && monotonicNanoseconds() < end {
            do throws(StoreError) { return try await attempt() } catch { try note(error) }
        }
        return nil
    }
}
