import TestSupport

/// Lends a directory that goes with all that is in it.
func withTemporaryDirectory(_ body: (String) async throws -> Void) async throws {
    let directory = TemporaryDirectory()
    try await body(directory.path)
    withExtendedLifetime(directory) {}
}
