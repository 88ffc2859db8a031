/// A question that is on its way once at most: whoever asks meanwhile gets the answer to it.
///
/// However many ask, those who are asked are asked by one.
actor SharedAnswer<Answer: Sendable> {
    // Those who wait for the answer that is on its way; `nil`: none is.
    private var waiting: [CheckedContinuation<Result<Answer, any Error>?, Never>]?

    /// How many wait for the answer to somebody else's question.
    var waitingCount: Int { waiting?.count ?? 0 }

    /// The answer to the question that is on its way, or else to this one.
    ///
    /// - Throws: what the question throws.
    func answer(_ ask: @Sendable () async throws -> Answer) async throws -> Answer {
        while waiting != nil {
            // Nothing whole comes of a question whose asker went away, though it may look so: then the next one asks it.
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
