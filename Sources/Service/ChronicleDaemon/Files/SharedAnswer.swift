/// Coalesces concurrent identical requests: later callers get the answer of the one in flight.
actor SharedAnswer<Answer: Sendable> {
    // The callers that wait for the answer in flight; `nil`: none is in flight.
    private var waiting: [CheckedContinuation<Result<Answer, any Error>?, Never>]?

    var waitingCount: Int { waiting?.count ?? 0 }

    func answer(_ ask: @Sendable () async throws -> Answer) async throws -> Answer {
        while waiting != nil {
            // If the asking caller was cancelled, its answer is incomplete: the next caller asks again.
            if let result = await withCheckedContinuation({ waiting?.append($0) }) { return try result.get() }
        }
        waiting = []
        let result: Result<Answer, any Error>
        do { result = .success(try await ask()) } catch { result = .failure(error) }
        let others = waiting ?? []
        waiting = nil
        if Task.isCancelled {
            for other in others { other.resume(returning: nil) }
        } else {
            for other in others { other.resume(returning: result) }
        }
        return try result.get()
    }
}
