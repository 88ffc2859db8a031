public import Chronicle
import ChronicleStore

/// Lets targets work one at a time, in the order in which their attempts began, and records their results.
final class SimulationSchedule<App: Feature>: Sendable {
    private struct State {
        var attempts: [SimulatedAttempt<App>] = []
        /// The attempts that wait for their turn, and those that work.
        var waiting: [Int] = []
        var inside: Set<Int> = []
    }

    let clock: TestClock
    private let start: TestClock.Instant
    private let state = Monitor(State())

    init(_ clock: TestClock) {
        self.clock = clock
        start = clock.now
    }

    var attempts: [SimulatedAttempt<App>] { state.value.attempts }

    /// Whether a target is working without sleeping on the clock, so that it ends by itself.
    var isWorking: Bool {
        state.value.inside.contains { !clock.hasSleeper(of: $0) }
    }

    func admitNext() -> Bool {
        state.withLock { state in
            guard !state.waiting.isEmpty else { return false }
            state.inside.insert(state.waiting.removeFirst())
            return true
        }
    }

    func perform(
        _ command: App.Command, _ ticket: CommandTicket,
        _ work: () async throws(CommandFailure) -> App.Action?
    ) async throws(CommandFailure) -> App.Action? {
        let elapsed = start.duration(to: clock.now)
        let index = state.withLock { state in
            state.attempts.append(SimulatedAttempt(elapsed: elapsed, command: command, ticket: ticket))
            state.waiting.append(state.attempts.count - 1)
            return state.attempts.count - 1
        }
        await state.wait { $0.inside.contains(index) ? true : nil }
        let result: Result<App.Action?, CommandFailure> = await TestClock.$sleepOwner.withValue(index) {
            do throws(CommandFailure) { return .success(try await work()) } catch { return .failure(error) }
        }
        state.withLock { state in
            state.inside.remove(index)
            state.attempts[index].result = result
        }
        return try result.get()
    }
}

public struct SimulatedAttempt<App: Feature>: Sendable {
    /// When it began, relative to the simulation.
    public var elapsed: Duration
    public var command: App.Command
    public var ticket: CommandTicket
    /// The target's result or failure; `nil` while it works.
    public var result: Result<App.Action?, CommandFailure>?
}

struct TurnTarget<App: Feature, Target: CommandTarget>: CommandTarget
where Target.Command == App.Command, Target.Action == App.Action {
    typealias Command = App.Command
    typealias Action = App.Action

    let target: Target
    let turns: SimulationSchedule<App>

    func wait(before command: Command) -> Duration { target.wait(before: command) }

    func perform(_ command: Command, _ ticket: CommandTicket) async throws(CommandFailure) -> Action? {
        try await turns.perform(command, ticket) { () async throws(CommandFailure) in try await target.perform(command, ticket) }
    }

    func perform(
        _ command: Command, _ ticket: CommandTicket, _ pieces: CommandPieces<Action>
    ) async throws(CommandFailure) -> Action? {
        try await turns.perform(command, ticket) { () async throws(CommandFailure) in
            try await target.perform(command, ticket, pieces)
        }
    }
}

/// Runs tasks on its own thread, in the order in which they become ready, and only on request.
final class SteppedExecutor: TaskExecutor {
    private struct State {
        var jobs: [UnownedJob] = []
        /// Whether the thread runs the jobs.
        var isRunning = false
        var isFinished = false

        var hasNews: Bool? { !jobs.isEmpty || isFinished ? true : nil }
    }

    private let state = Monitor(State())
    private let thread = SerialThread(name: "simulation")

    init() { thread.onSignal { [weak self] in self?.work() } }

    deinit { thread.end() }

    var hasJobs: Bool { !state.value.jobs.isEmpty }

    var isFinished: Bool { state.value.isFinished }

    func finish() { state.withLock { $0.isFinished = true } }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        state.withLock { $0.jobs.append(job) }
    }

    func run() async {
        state.withLock { $0.isRunning = true }
        thread.signal()
        await state.wait { $0.isRunning ? nil : true }
    }

    /// Waits until there is a job, or `finish()`.
    func nextJob() async throws(CancellationError) {
        if await state.waitUnlessCancelled({ $0.hasNews }) == nil { throw CancellationError() }
    }

    /// The same for a cancelled task.
    func nextJobAfterAll() async { await state.wait { $0.hasNews } }

    private func work() {
        while let job = state.withLock({ $0.jobs.isEmpty ? nil : $0.jobs.removeFirst() }) {
            job.runSynchronously(on: asUnownedTaskExecutor())
        }
        state.withLock { $0.isRunning = false }
    }
}
