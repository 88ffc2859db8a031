import Records
public import Reducing
public import StoreRuntime
import Synchronization
public import Values

/// Runs the open commands of a store, each at least once, and brings their ends back to it.
///
/// There is one for a store. What it must not forget it writes into the store: an attempt that begins, when the next is
/// due, the end. So a runner may be stopped or killed at any moment, and the next goes on from there.
public struct CommandRunner<App: Feature, Target: CommandTarget>: Sendable
where
    App.State: CanonicalCodable, App.Action: CanonicalCodable, App.Command: CanonicalCodable,
    Target.Command == App.Command, Target.Action == App.Action
{
    private let store: Store<App>
    private let target: Target
    private let options: RunnerOptions
    private let load = Load()

    /// Makes a runner that does nothing yet.
    public init(store: Store<App>, target: Target, options: RunnerOptions = RunnerOptions()) {
        self.store = store
        self.target = target
        self.options = options
    }

    /// How many attempts are under way, or wait for their end to be written.
    public var running: Int { load.running.load(ordering: .relaxed) }

    /// Runs commands until the task is cancelled; call it once, when the daemon is ready.
    ///
    /// Then attempts are cancelled, and what was interrupted runs again at the next start. Returns when the last target has.
    ///
    /// - Throws: `.stopping` if the store has stopped, `.busy`.
    public func run() async throws(StoreError) {
        let mailbox = Mailbox<Event>()
        try await store.listen { mailbox.post(.news($0)) }
        await withTaskCancellationHandler {
            await withDiscardingTaskGroup { group in
                await work(mailbox, &group)
                group.cancelAll()
            }
        } onCancel: {
            mailbox.post(.stop)
        }
        // A store that has stopped tells nobody anything any more.
        try? await store.listen(nil)
    }

    typealias Event = Schedule<App.Command, App.Action>.Event

    private func work(_ mailbox: Mailbox<Event>, _ group: inout DiscardingTaskGroup) async {
        var schedule = Schedule<App.Command, App.Action>(options) { [target] in target.wait(before: $0) }
        var cancellations: [CommandID: Cancellation] = [:]
        var alarm = Int64.max
        while !schedule.isFinished {
            for event in await mailbox.next() {
                if case .returned(let id) = event { cancellations[id] = nil }
                if case .tick(let at) = event, at == alarm { alarm = .max }
                for instruction in schedule.handle(event) {
                    switch instruction {
                    case .order(let order, let id): submit(order, of: id, mailbox)
                    case .run(let command, let number):
                        let cancellation = Cancellation()
                        cancellations[command.id] = cancellation
                        let attempt = attempt(command, number, cancellation)
                        group.addTask { await attempt.run(mailbox) }
                    case .cancel(let id): cancellations[id]?.cancel()
                    }
                }
            }
            load.running.store(schedule.running, ordering: .relaxed)
            guard let due = schedule.nextDue, due < alarm else { continue }
            alarm = due
            group.addTask { [clock = options.clock] in
                // Looked at anew every minute, because a machine that slept wakes its sleepers late.
                let pause = min(due.subtracting(clamping: clock.boot()), Schedule<App.Command, App.Action>.lookMax)
                try? await clock.sleep(.microseconds(max(0, pause)))
                mailbox.post(.tick(due))
            }
        }
    }

    private func submit(_ order: CommandOrder<App.Action>, of id: CommandID, _ mailbox: Mailbox<Event>) {
        let begins = if case .begin = order { true } else { false }
        if begins { options.crashPoints.pass(.beforeCommandStart) }
        store.enqueue(order) { result in
            switch result {
            case .success: mailbox.post(.written(id, begins: begins))
            case .failure(let error): mailbox.post(.refused(id, error, begins: begins))
            }
        }
    }

    private func attempt(
        _ command: OpenCommand<App.Command>, _ number: UInt32, _ cancellation: Cancellation
    ) -> Attempt<Target> {
        Attempt(
            id: command.id, command: command.command,
            ticket: CommandTicket(
                id: ticketID(of: command), attempt: Int(number), waits: Int(command.row.waits),
                brief: command.command.map { App.brief(for: $0, in: store.present.state) } ?? .null),
            pieces: pieces(of: command.row), target: target,
            cancellation: cancellation,
            clock: options.clock, crashPoints: options.crashPoints)
    }

    // They go to the store beside the schedule, which they don't concern: the attempt that brings them is under way.
    private func pieces(of row: OutboxRow) -> CommandPieces<App.Action> {
        let progress = CommandPieces<App.Action>.Progress(row.done, of: row.total)
        return CommandPieces(logged: Int(row.pieces), progress: progress) {
            [store] index, fact, progress throws(CommandFailure) in
            guard let index = UInt32(exactly: index) else { preconditionFailure("pieces are counted from 0") }
            let piece = ResultPiece(index: index, done: progress.done, total: progress.total)
            do throws(StoreError) { try await store.submit(.piece(row.id, piece, fact)) } catch { throw CommandFailure(error) }
        }
    }

    // What was edited is another piece of work, also for a target that knows the one before.
    private func ticketID(of command: OpenCommand<App.Command>) -> String {
        let edit = command.row.edited == 0 ? "" : "/\(command.row.edited)"
        return "\(store.id)/\(command.id.sequence)/\(command.id.index)\(edit)"
    }
}

extension CommandFailure {
    /// Why a piece was not taken.
    fileprivate init(_ error: StoreError) {
        switch error {
        case .refused(let refusal, _): self.init(refusal.message, isPermanent: true)
        case .commandClosed: self.init("The command has ended, or this attempt at it.", isPermanent: true)
        case .batchTooLarge: self.init("A piece of the result is larger than one batch.", isPermanent: true)
        case .invariantTooCostly(let name):
            self.init("A piece of the result takes too long to judge by the invariant \(name).", isPermanent: true)
        case .stateFull(_, let max):
            self.init(
                "A piece of the result would make the state larger than \(max) bytes. Remove what is not needed, then retry it.",
                isPermanent: true)
        case .storageFull(let message): self.init(message)
        default: self.init("The store takes nothing now.")
        }
    }
}

/// What a runner has to do, for anybody to read.
private final class Load: Sendable {
    let running = Atomic<Int>(0)
}
