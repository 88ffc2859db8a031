import Chronicle
import ChronicleLog
import ChronicleStore

/// Decides the next steps of a runner; a pure value that receives events and returns instructions.
struct Schedule<Command: NamedCommand, Action: Sendable> {
    typealias Order = CommandOrder<Action>

    enum Event: Sendable {
        /// The store has flushed changes of the open commands.
        case news([OutboxChange<Command>])
        /// An order is on disk: the mark of an attempt, or the outcome of one.
        case written(CommandID, begins: Bool)
        case refused(CommandID, StoreError, begins: Bool)
        case outcome(CommandID, AttemptOutcome<Action>)
        case returned(CommandID)
        /// An alarm or a regular check is due.
        case tick(Int64)
        case stop
    }

    enum Instruction {
        case order(Order, CommandID)
        case run(OpenCommand<Command>, attempt: UInt32)
        case cancel(CommandID)
    }

    struct Entry {
        var open: OpenCommand<Command>
        var deadline: Int64
        var command: Command? { open.command }
        /// Whether its target knows when it is due, and no attempt was made yet.
        var waitsForItsTime: Bool { open.row.attempts == 0 && open.row.waits == 0 && command?.policy.isScheduled == true }
    }

    struct Attempt {
        enum Phase {
            case beginning
            case running
            /// The order for the outcome is on its way to the disk.
            case ending(Order)
            /// The order for the outcome waits for disk space.
            case kept(Order)
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

    /// Maximum microseconds between two checks of the clocks.
    static var lookMax: Int64 { 60_000_000 }
    /// Drift in microseconds between wall clock and boot clock above which the wall clock was set.
    static var stepMax: Int64 { 1_000_000 }

    let options: RunnerOptions
    /// The remaining delay of a due command according to its target.
    let wait: @Sendable (Command) -> Duration
    var entries: [CommandID: Entry] = [:]
    var attempts: [CommandID: Attempt] = [:]
    var isStopping = false
    var ready: [String: Heap<CommandID>] = [:]
    var timers = Heap<Timer>()
    var groups: [ExactText: Heap<CommandID>] = [:]
    var heldThrough: UInt64 = 0
    var isFirstNews = true
    var pausedUntil: Int64?
    /// The wall clock's lead over the boot clock at the last check.
    var wallAhead: Int64?

    init(_ options: RunnerOptions, wait: @escaping @Sendable (Command) -> Duration) {
        self.options = options
        self.wait = wait
    }

    var running: Int { attempts.count }
    var isFinished: Bool { isStopping && attempts.isEmpty }

    var nextDue: Int64? { isStopping ? nil : pausedUntil ?? timers.first?.at }

    var now: Int64 { options.clock.boot() }

    mutating func handle(_ event: Event) -> [Instruction] {
        var instructions: [Instruction] = []
        switch event {
        case .news(let news):
            for news in news { take(news, &instructions) }
            isFirstNews = false
        case .written(let id, let begins):
            // The start of an attempt is reported with the store's changes, in order with all others.
            guard !begins, case .ending(let order)? = attempts[id]?.phase else { break }
            finish(id)
            // The store's change may still be on its way; until then an ended command must not start again.
            switch order {
            case .end: close(id, &instructions)
            case .park(_, let reason): park(id, reason)
            default: place(id)
            }
        case .refused(let id, let error, let begins):
            // An order that was in doubt may have been committed, and then the store's change has already started the attempt.
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
            // A last try for waiting outcomes; after that the next start handles them.
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
