/// Why a part could not be measured.
struct BenchmarkError: Error, Sendable {
    var message: String

    init(_ message: String) {
        self.message = message
    }
}
