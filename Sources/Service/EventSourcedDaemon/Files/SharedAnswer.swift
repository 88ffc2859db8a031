/// A question that is on its way once at most: whoever asks meanwhile gets the answer to it.
///
/// However many ask, those who are asked are asked by one.
actor SharedAnswer<Answer: Sendable> {
    private var asking: Task<Answer, any Error>?

    /// The answer to the question that is on its way, or else to this one.
    ///
    /// - Throws: what the question throws.
    func answer(_ ask: @escaping @Sendable () async throws -> Answer) async throws -> Answer {
        if let asking { return try await asking.value }
        let task = Task { try await ask() }
        asking = task
        defer { asking = nil }
        return try await task.value
    }
}
