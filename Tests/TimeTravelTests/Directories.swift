import TestSupport

/// Provides a directory that is removed with its contents.
func withTemporaryDirectory(_ body: (String) async throws -> Void) async throws {
    let directory = TemporaryDirectory()
    try await body(directory.path)
    withExtendedLifetime(directory) {}
}
