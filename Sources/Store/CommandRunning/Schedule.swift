import Records
import Reducing
import StoreRuntime

/// Decides what a runner does next; a value that is told what happened and never does anything itself.
struct Schedule<Command: NamedCommand, Action: Sendable> {
    typealias Order = CommandOrder<Action>

    enum Event: Sendable {
        /// The store has flushed changes of the open commands.
        case news([OutboxChange<Command>])
        /// An order for a command is on disk; that which marks an attempt, or one for what it came to.
        case written(CommandID, begins: Bool)
        /// An order for a command was refused.
        case refused(CommandID, StoreError, begins: Bool)
        /// An attempt came out.
        case outcome(CommandID, AttemptOutcome<Action>)
        /// The target has returned, and nothing of the attempt is left.
        case returned(CommandID)
        /// The time of an alarm has come, or it is time to look.
        case tick(Int64)
        /// No further attempt.
        case stop
    }

    enum Instruction {
        case order(Order, CommandID)
        case run(OpenCommand<Command>, attempt: UInt32)
        case cancel(CommandID)
    }

    struct Entry {
        var open: OpenCommand<Command>
        /// When it is due on the monotonic clock.
        var deadline: Int64
        var command: Command? { open.command }
        /// Whether its target knows when its time comes, and no attempt was made yet.
        var waitsForItsTime: Bool { open.row.attempts == 0 && open.row.waits == 0 && command?.policy.isScheduled == true }
    }

    /// An attempt, from the order to mark it until nothing of it is left.
    struct Attempt {
        enum Phase {
            case beginning
            case running
            /// What it came to is on its way to the disk.
            case ending(Order)
            /// What it came to is kept until there is room on the disk.
            case kept(Order)
            /// It needs nothing more.
            case finished
        }

        var phase: Phase
        var isTargetBusy = false
        var name: String
        var hasBegun: Bool { if case .beginning = phase { false } else { true } }
    }

    struct Timer: Comparable {
        var at: Int64
        var id: CommandID

        static func < (left: Timer, right: Timer) -> Bool { (left.at, left.id) < (right.at, right.id) }
    }

    /// How long a runner sleeps at most before it looks at its clocks, in microseconds.
    static var lookMax: Int64 { 60_000_000 }
    /// By how much the wall clock goes another way than the boot clock between two looks, in microseconds, unless somebody sets it.
    static var stepMax: Int64 { 1_000_000 }

    let options: RunnerOptions
    /// How long a command that is due still waits for a time that its target knows.
    let wait: @Sendable (Command) -> Duration
    var entries: [CommandID: Entry] = [:]
    var attempts: [CommandID: Attempt] = [:]
    var isStopping = false
    /// What is due or was, by the name of the command.
    var ready: [String: Heap<CommandID>] = [:]
    var timers = Heap<Timer>()
    var groups: [ExactText: Heap<CommandID>] = [:]
    var heldThrough: UInt64 = 0
    var isFirstNews = true
    /// Until when nothing is started or written, because there is no room.
    var pausedUntil: Int64?
    /// How far the wall clock was ahead of the boot clock at the last look.
    var wallAhead: Int64?

    init(_ options: RunnerOptions, wait: @escaping @Sendable (Command) -> Duration) {
        self.options = options
        self.wait = wait
    }

    var running: Int { attempts.count }
    var isFinished: Bool { isStopping && attempts.isEmpty }

    /// When there is something to do without anything happening.
    var nextDue: Int64? { isStopping ? nil : pausedUntil ?? timers.first?.at }

    var now: Int64 { options.clock.boot() }

    /// Takes in what happened, and says what is to be done, in order.
    mutating func handle(_ event: Event) -> [Instruction] {
        var instructions: [Instruction] = []
        switch event {
        case .news(let news):
            for news in news { take(news, &instructions) }
            isFirstNews = false
        case .written(let id, let begins):
            // That an attempt has begun is told by the news, with everything that happened beside it.
            guard !begins, case .ending(let order)? = attempts[id]?.phase else { break }
            finish(id)
            // The news of it may still be on its way, and what has ended must not begin again until then.
            switch order {
            case .end: close(id, &instructions)
            case .park(_, let reason): park(id, reason)
            default: place(id)
            }
        case .refused(let id, let error, let begins):
            // One that was in doubt before may stand, and then the news has had the attempt begin.
            if begins, attempts[id]?.hasBegun == true { break }
            take(error, of: id)
        case .outcome(let id, let outcome): end(id, outcome, &instructions)
        case .returned(let id):
            attempts[id]?.isTargetBusy = false
            dropIfFinished(id)
            place(id)
        case .tick: break
        case .stop:
            isStopping = true
            // A last try for what is kept; then it is for the next start.
            if pausedUntil != nil { pausedUntil = now }
            for (id, attempt) in attempts where attempt.isTargetBusy { instructions.append(.cancel(id)) }
        }
        goOn(&instructions)
        return instructions
    }

    private mutating func goOn(_ instructions: inout [Instruction]) {
        let now = now
        lookAtClock()
        if let end = pausedUntil {
            guard now >= end else { return }
            pausedUntil = nil
            for (id, attempt) in attempts {
                guard case .kept(let order) = attempt.phase else { continue }
                attempts[id]?.phase = .ending(order)
                instructions.append(.order(order, id))
            }
        }
        while let timer = timers.first, timer.at <= now {
            _ = timers.pop()
            place(timer.id)
        }
        guard !isStopping else { return }
        while attempts.count < options.runningMax, let entry = takeNext(at: now) {
            let id = entry.open.id
            attempts[id] = Attempt(phase: .beginning, name: entry.open.row.call.name)
            instructions.append(.order(.begin(id), id))
        }
    }
}
