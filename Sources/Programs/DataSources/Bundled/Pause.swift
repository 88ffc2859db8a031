import Reducing

/// How long a bundled source pretends to be at work.
struct Pause: Sendable {
    let clock: any Clock<Duration>
    let duration: Duration

    /// - Throws: as soon as the task is cancelled.
    func pass() async throws(CommandFailure) {
        guard duration > .zero else { return }
        do {
            try await clock.sleep(for: duration)
        } catch {
            throw CommandFailure("The command was cancelled.")
        }
    }
}
