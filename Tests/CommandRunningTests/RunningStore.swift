import ChronicleLog
import ChronicleTesting
import CommandRunning
import Synchronization

@testable import ChronicleStore

extension RunnerOptions {
    /// Options for tests: virtual time and no jitter.
    static func test(
        _ clock: TestClock, runningMax: Int = 16, wall: (@Sendable () -> Int64)? = nil, random: Double = 0,
        note: @escaping @Sendable (RunnerNote) -> Void = { _ in }
    ) -> RunnerOptions {
        RunnerOptions(
            runningMax: runningMax, clock: StoreClock(clock, wall: wall ?? { clock.microseconds }), random: { random },
            note: note)
    }
}

typealias ErrandRunner = CommandRunner<Errands, Workshop>

/// Runs a body with a store and its runner, then stops the runner and the store.
func withRunner(
    _ log: any ActionLog = InMemoryActionLog(), _ workshop: Workshop, _ options: RunnerOptions,
    clock: TestClock = TestClock(), freeBytesMin: Int = 0, _ body: (ErrandStore, ErrandRunner) async throws -> Void
) async throws {
    try await withStore(log, clock: clock, freeBytesMin: freeBytesMin) { store in
        let runner = ErrandRunner(store: store, target: workshop, options: options)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await runner.run() }
            do { try await body(store, runner) } catch {
                group.cancelAll()
                throw error
            }
            group.cancelAll()
        }
    }
}

/// The messages of a runner.
final class Notes: Sendable {
    private let notes = Mutex<[RunnerNote]>([])
    var all: [RunnerNote] { notes.withLock { $0 } }
    var events: [RunnerNote.Event] { all.map(\.event) }
    func add(_ note: RunnerNote) { notes.withLock { $0.append(note) } }
}
