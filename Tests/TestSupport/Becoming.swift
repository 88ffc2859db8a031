/// Waits until a condition holds that nobody announces; gives up with the task, so that a test's time limit can end it.
///
/// - Throws: `CancellationError`.
public func becomes(
    _ condition: () async throws -> Bool, isolation: isolated (any Actor)? = #isolation
) async throws {
    while try await !condition() {
        try Task.checkCancellation()
        await Task.yield()
    }
}
