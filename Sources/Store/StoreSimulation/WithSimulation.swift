public import CommandRunning
public import Records
public import Reducing
public import StoreRuntime
public import StoreTesting
public import Values

/// Lends a simulation to a body, and ends it afterwards: the runner first, then the store.
///
/// - Parameters:
///   - initial: the state at sequence 0.
///   - target: who does the work of commands, as in the daemon. If it sleeps, it does so on `clock`.
///   - log: where records go. A later simulation over the same log is a restart.
///   - clock: the time; stands still but in `advance`.
///   - wall: the machine's clock, where that is one that somebody sets; `nil`: it shows the time of `clock`.
///   - store: how the store works, but for its clock.
///   - runner: how commands are run, but for the clock; without chance, if nothing else is said.
/// - Throws: what the body throws; what is wrong with the log.
@discardableResult
public func withSimulation<App: Feature, Target: CommandTarget, Value>(
    _ initial: App.State, of app: App.Type, on target: Target,
    log: any ActionLog = InMemoryActionLog(epoch: 1, storeID: "00000000000000000000000000000000"), clock: TestClock = TestClock(),
    wall: (@Sendable () -> Int64)? = nil, store options: StoreOptions = StoreOptions(freeBytesMin: 0),
    runner runnerOptions: RunnerOptions = RunnerOptions(random: { 0 }),
    _ body: (Simulation<App>) async throws -> Value
) async throws -> Value
where
    App.State: CanonicalCodable, App.Action: CanonicalCodable, App.Command: CanonicalCodable,
    Target.Command == App.Command, Target.Action == App.Action
{
    var (options, runnerOptions) = (options, runnerOptions)
    options.clock = StoreClock(clock, wall: wall ?? { clock.microseconds })
    runnerOptions.clock = options.clock
    let store = Store(try Recovered<App>(from: log, initial: initial), log: log, options: options)
    let (turns, executor) = (Turns<App>(clock), SteppedExecutor())
    let runner = CommandRunner(
        store: store, target: TurnTarget<App, Target>(target: target, turns: turns), options: runnerOptions)
    let simulation = Simulation(store, over: log, turns, executor)
    let result = await withTaskGroup(of: Void.self) { group in
        group.addTask(executorPreference: executor) {
            // It throws only when the store takes nothing any more, and that every dispatch says as well.
            try? await runner.run()
            executor.finish()
        }
        let result: Result<Value, any Error>
        do {
            // What was open in the log begins.
            try await simulation.settle()
            result = .success(try await body(simulation))
        } catch {
            result = .failure(error)
        }
        group.cancelAll()
        await simulation.finish()
        return result
    }
    await store.stop()
    return try result.get()
}
