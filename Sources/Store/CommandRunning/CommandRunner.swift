public import Chronicle
public import ChronicleLog
public import ChronicleStore
import Synchronization

/// Runs the open commands of a store, each at least once, and reports their ends to the store, which has one runner.
///
/// Its state is in the store, so it can be killed at any time, and the next runner continues.
public struct CommandRunner<App: Feature, Target: CommandTarget>: Sendable
where
    App.State: CanonicalCodable, App.Action: CanonicalCodable, App.Command: CanonicalCodable,
    Target.Command == App.Command, Target.Action == App.Action
{
    private let store: Store<App>
    private let target: Target
    private let options: RunnerOptions
    private let load = Load()

    public init(store: Store<App>, target: Target, options: RunnerOptions = RunnerOptions()) {
        (self.store, self.target, self.options) = (store, target, options)
    }

    /// The number of attempts that are running or whose end is not on disk yet.
    public var running: Int { load.running.load(ordering: .relaxed) }

    /// Runs commands until the task is cancelled and the last target has returned; call it once, when the daemon is ready.
    /// - Throws: `.stopping` if the store has stopped, `.busy`.
    public func run() async throws(StoreError) {
        let events = Monitor<[Event]>([])
        let post = { @Sendable (event: Event) in events.withLock { $0.append(event) } }
        try await store.listen { post(.news($0)) }
        await withTaskCancellationHandler {
            await withDiscardingTaskGroup { group in
                await work(events, post, &group)
                group.cancelAll()
            }
        } onCancel: {
            post(.stop)
        }
        // A stopped store has no listeners.
        try? await store.listen(nil)
    }

    typealias Event = Schedule<App.Command, App.Action>.Event

    private func work(
        _ events: Monitor<[Event]>, _ post: @escaping @Sendable (Event) -> Void, _ group: inout DiscardingTaskGroup
    ) async {
        var schedule = Schedule<App.Command, App.Action>(options) { [target] in target.wait(before: $0) }
        var cancellations: [CommandID: Monitor<Bool>] = [:]
        var alarm = Int64.max
        while !schedule.isFinished {
            // Also in a cancelled task, because the last events are still to come.
            for event in await events.wait({ events in events.isEmpty ? nil : events.takeAll() }) {
                if case .returned(let id) = event { cancellations[id] = nil }
                if case .tick(let at) = event, at == alarm { alarm = .max }
                for instruction in schedule.handle(event) {
                    switch instruction {
                    case .order(let order, let id): submit(order, of: id, post)
                    case .run(let command, let number):
                        let isCancelled = Monitor(false)
                        cancellations[command.id] = isCancelled
                        let attempt = attempt(command, number, isCancelled)
                        group.addTask { await attempt.run(post) }
                    case .cancel(let id): cancellations[id]?.withLock { $0 = true }
                    }
                }
            }
            load.running.store(schedule.running, ordering: .relaxed)
            guard let due = schedule.nextDue, due < alarm else { continue }
            alarm = due
            group.addTask { [clock = options.clock] in
                let pause = min(due.subtracting(clamping: clock.boot()), Schedule<App.Command, App.Action>.lookMax)
                try? await clock.sleep(.microseconds(max(0, pause)))
                post(.tick(due))
            }
        }
    }

    private func submit(
        _ order: CommandOrder<App.Action>, of id: CommandID, _ post: @escaping @Sendable (Event) -> Void
    ) {
        let begins = if case .begin = order { true } else { false }
        if begins { options.crashPoints.pass(.beforeCommandStart) }
        store.enqueue(order) { result in
            switch result {
            // The store's news start the attempt.
            case .success: if !begins { post(.written(id)) }
            case .failure(let error): post(.refused(order, of: id, error))
            }
        }
    }

    private func attempt(_ command: OpenCommand<App.Command>, _ number: UInt32, _ isCancelled: Monitor<Bool>) -> Attempt<Target> {
        Attempt(
            id: command.id, command: command.command,
            ticket: CommandTicket(
                id: ticketID(of: command), attempt: Int(number), waits: Int(command.row.waits),
                input: command.command.map { App.input(for: $0, in: store.present.state) } ?? .null),
            pieces: pieces(of: command.row), target: target, isCancelled: isCancelled, clock: options.clock,
            crashPoints: options.crashPoints)
    }

    // Pieces bypass the schedule, because the attempt simply continues.
    private func pieces(of row: OutboxRow) -> CommandPieces<App.Action> {
        let progress = CommandPieces<App.Action>.Progress(row.done, of: row.total)
        return CommandPieces(logged: Int(row.pieces), progress: progress) {
            [store] index, fact, progress throws(CommandFailure) in
            guard let index = UInt32(exactly: index) else { preconditionFailure("pieces are counted from 0") }
            let piece = ResultPiece(index: index, done: progress.done, total: progress.total)
            do throws(StoreError) { try await store.submit(.piece(row.id, piece, fact)) } catch { throw CommandFailure(error) }
        }
    }

    // Edited arguments make a new command for the target.
    private func ticketID(of command: OpenCommand<App.Command>) -> String {
        let edit = command.row.edited == 0 ? "" : "/\(command.row.edited)"
        return "\(store.id)/\(command.id.sequence)/\(command.id.index)\(edit)"
    }
}

extension CommandFailure {
    fileprivate init(_ error: StoreError) {
        switch error {
        case .refused(let refusal, _): self.init(refusal.message, isPermanent: true)
        case .commandClosed: self.init("The command has ended, or this attempt at it.", isPermanent: true)
        case .batchTooLarge: self.init("A piece of the result is larger than one batch.", isPermanent: true)
        case .invariantTooCostly(let name):
            self.init("A piece of the result takes too long to check against the invariant \(name).", isPermanent: true)
        case .stateFull(_, let max):
            self.init(
                "A piece of the result would make the state larger than \(max) bytes. Remove something, then retry it.",
                isPermanent: true)
        case .storageFull(let message): self.init(message)
        default: self.init("The store accepts nothing now.")
        }
    }
}

private final class Load: Sendable {
    let running = Atomic<Int>(0)
}

public struct RunnerOptions: Sendable {
    public var runningMax: Int
    /// The delay after the first failed attempt; doubled after each further one.
    public var backoffMin: Duration
    public var clock: StoreClock
    /// A random number from 0 up to 1, for jitter between retries.
    public var random: @Sendable () -> Double
    public var crashPoints: CrashPoints
    /// Receives messages for the log; must not block.
    public var note: @Sendable (RunnerNote) -> Void

    public init(
        runningMax: Int = 16, backoffMin: Duration = .seconds(1), clock: StoreClock = .system,
        random: @escaping @Sendable () -> Double = { .random(in: 0..<1) }, crashPoints: CrashPoints = CrashPoints(),
        note: @escaping @Sendable (RunnerNote) -> Void = { _ in }
    ) {
        precondition(runningMax > 0, "without attempts no command ever ends")
        (self.runningMax, self.backoffMin, self.clock, self.random) = (runningMax, backoffMin, clock, random)
        (self.crashPoints, self.note) = (crashPoints, note)
    }

    /// Maximum delay between two attempts, unless the target requests more.
    private static var backoffMax: Duration { .seconds(300) }
    static var retryAfterMax: Duration { .seconds(86_400) }
    /// The delay before the next try when the storage is full.
    static var storagePause: Duration { .seconds(1) }

    /// The delay after a failed attempt, from 1: a random value between half and all of the exponential backoff.
    func backoff(after attempt: UInt32, asking retryAfter: Duration?) -> Duration {
        let doublings = min(attempt - min(attempt, 1), 32)
        let whole = min(Self.backoffMax, backoffMin * (1 << Int(doublings)))
        let spread = whole / 2 + whole * random() / 2
        return max(spread, min(retryAfter ?? .zero, Self.retryAfterMax))
    }
}

public struct RunnerNote: Sendable, Equatable {
    public enum Event: Sendable, Equatable {
        /// An attempt failed; the next one follows after this time.
        case retrying(after: Duration)
        case failed
        /// The command waits for a person.
        case parked
        /// The target returned a result after the command had ended; it is discarded.
        case late
        /// The end can't be written for lack of space, and waits.
        case waitingForRoom
    }

    public var id: CommandID
    public var name: String
    public var event: Event
    /// A sentence for a person; may be empty.
    public var reason: String
}

extension Array {
    fileprivate mutating func takeAll() -> Array {
        defer { self = [] }
        return self
    }
}

private struct Attempt<Target: CommandTarget>: Sendable {
    typealias Event = Schedule<Target.Command, Target.Action>.Event

    let id: CommandID
    let command: Target.Command?
    let ticket: CommandTicket
    let pieces: CommandPieces<Target.Action>
    let target: Target
    let isCancelled: Monitor<Bool>
    let clock: StoreClock
    let crashPoints: CrashPoints

    /// Posts the outcome once, then the return of the target, which occupies its slot until then, even after a timeout.
    func run(_ post: @Sendable (Event) -> Void) async {
        guard let command else { return post(.returned(id)) }
        await withTaskGroup(of: AttemptOutcome<Target.Action>.self) { group in
            group.addTask { await perform(command) }
            group.addTask {
                try? await clock.sleep(command.policy.timeout)
                return Task.isCancelled ? .interrupted : .timedOut
            }
            group.addTask {
                _ = await isCancelled.waitUnlessCancelled { $0 ? true : nil }
                return .interrupted
            }
            var (isTold, isInterrupted) = (false, false)
            for await outcome in group {
                switch outcome {
                case .interrupted: isInterrupted = true
                case .result where isTold: post(.late(id))
                case .failed where isTold, .timedOut where isTold: break
                // The error of a cancelled target is reported only if it says that nothing was done.
                case .failed(let failure) where isInterrupted && failure.wait == nil:
                    post(.outcome(id, .interrupted))
                    isTold = true
                case .result, .failed, .timedOut:
                    post(.outcome(id, outcome))
                    isTold = true
                }
                group.cancelAll()
            }
        }
        post(.returned(id))
    }

    private func perform(_ command: Target.Command) async -> AttemptOutcome<Target.Action> {
        crashPoints.pass(.beforeTarget)
        do throws(CommandFailure) {
            let fact = try await target.perform(command, ticket, pieces)
            crashPoints.pass(.afterTarget)
            return .result(fact)
        } catch {
            return .failed(error)
        }
    }
}
