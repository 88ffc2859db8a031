public import Chronicle
import ChronicleStore
import Synchronization

/// Lets targets work one at a time, in the order in which their attempts began, and records their results.
final class SimulationSchedule<App: Feature>: Sendable {
    private struct State {
        var attempts: [SimulatedAttempt<App>] = []
        var waiting: [(index: Int, continuation: CheckedContinuation<Void, Never>)] = []
        var inside: Set<Int> = []
    }

    let clock: TestClock
    private let start: TestClock.Instant
    private let state = Mutex(State())

    init(_ clock: TestClock) {
        self.clock = clock
        start = clock.now
    }

    var attempts: [SimulatedAttempt<App>] { state.withLock { $0.attempts } }

    /// Whether a target is working without sleeping on the clock, so that it ends by itself.
    var isWorking: Bool {
        let inside = state.withLock { $0.inside }
        return inside.contains { !clock.hasSleeper(of: $0) }
    }

    func admitNext() -> Bool {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard !state.waiting.isEmpty else { return nil }
            let next = state.waiting.removeFirst()
            state.inside.insert(next.index)
            return next.continuation
        }
        next?.resume()
        return next != nil
    }

    func perform(
        _ command: App.Command, _ ticket: CommandTicket,
        _ work: () async throws(CommandFailure) -> App.Action?
    ) async throws(CommandFailure) -> App.Action? {
        let elapsed = start.duration(to: clock.now)
        let index = state.withLock { state in
            state.attempts.append(SimulatedAttempt(elapsed: elapsed, command: command, ticket: ticket))
            return state.attempts.count - 1
        }
        await withCheckedContinuation { continuation in state.withLock { $0.waiting.append((index, continuation)) } }
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
        var runner: CheckedContinuation<Void, Never>?
        var waiter: CheckedContinuation<Bool, Never>?
        var isFinished = false
    }

    private let state = Mutex(State())
    private let thread = SerialThread(name: "simulation")

    init() { thread.onSignal { [weak self] in self?.work() } }

    deinit { thread.end() }

    var hasJobs: Bool { state.withLock { !$0.jobs.isEmpty } }

    var isFinished: Bool { state.withLock { $0.isFinished } }

    func finish() {
        let waiter = state.withLock { state in
            state.isFinished = true
            return state.waiter.take()
        }
        waiter?.resume(returning: true)
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let waiter = state.withLock { state in
            state.jobs.append(job)
            return state.waiter.take()
        }
        waiter?.resume(returning: true)
    }

    func run() async {
        await withCheckedContinuation { continuation in
            state.withLock { $0.runner = continuation }
            thread.signal()
        }
    }

    /// Waits until there is a job, or `finish()`.
    func nextJob() async throws(CancellationError) {
        let isThere = await withTaskCancellationHandler {
            await job { Task.isCancelled }
        } onCancel: {
            state.withLock { $0.waiter.take() }?.resume(returning: false)
        }
        if !isThere { throw CancellationError() }
    }

    /// The same for a cancelled task.
    func nextJobAfterAll() async { _ = await job { false } }

    private func job(unless isInVain: () -> Bool) async -> Bool {
        await withCheckedContinuation { continuation in
            // Checked under the lock: a later cancellation finds the registered waiter.
            let answer = state.withLock { state -> Bool? in
                if !state.jobs.isEmpty || state.isFinished { return true }
                if isInVain() { return false }
                state.waiter = continuation
                return nil
            }
            if let answer { continuation.resume(returning: answer) }
        }
    }

    private func work() {
        while let job = state.withLock({ $0.jobs.isEmpty ? nil : $0.jobs.removeFirst() }) {
            job.runSynchronously(on: asUnownedTaskExecutor())
        }
        state.withLock { $0.runner.take() }?.resume()
    }
}
