import TestSupport

/// Runs a test with a directory that goes afterwards.
func inTemporaryDirectory<Result>(_ body: (String) async throws -> Result) async throws -> Result {
    let directory = TemporaryDirectory()
    defer { withExtendedLifetime(directory) {} }
    return try await body(directory.path)
}
