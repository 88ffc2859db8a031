/// Polls until a condition holds.
///
/// - Throws: `CancellationError`, so that the time limit of a test ends it.
public func becomes(
    _ condition: () async throws -> Bool, isolation: isolated (any Actor)? = #isolation
) async throws {
    while try await !condition() {
        try Task.checkCancellation()
        await Task.yield()
    }
}
