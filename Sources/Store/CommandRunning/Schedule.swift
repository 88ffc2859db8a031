import Chronicle
import ChronicleLog
import ChronicleStore

/// Decides the next steps of a runner; a pure value that receives events and returns instructions.
struct Schedule<Command: NamedCommand, Action: Sendable> {
    typealias Order = CommandOrder<Action>

    enum Event: Sendable {
        case news([OutboxChange<Command>])
        /// The order for the outcome of an attempt is on disk; news of its effect follow.
        case written(CommandID)
        case refused(Order, of: CommandID, StoreError)
        case outcome(CommandID, AttemptOutcome<Action>)
        /// The target returned a result after the timeout.
        case late(CommandID)
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
        var nextBegin: Order { .begin(open.row.id, attempt: open.row.attempts &+ 1) }
        /// Whether its target knows when it is due, and no attempt was made yet.
        var waitsForItsTime: Bool { open.row.attempts == 0 && open.row.waits == 0 && command?.policy.isScheduled == true }
    }

    struct Attempt {
        enum Phase {
            case beginning
            case running
            /// The order for the outcome is on its way to the disk.
            case ending
            /// The order waits for disk space or, with an unknown outcome, for the cluster.
            case kept(Order)
            case finished
        }

        var phase: Phase
        var isTargetBusy = false
        var name: String
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
        case .written(let id): finish(id)
        case .refused(let order, let id, let error): take(error, for: order, of: id)
        case .outcome(let id, let outcome): end(id, outcome, &instructions)
        case .late(let id): if let attempt = attempts[id] { note(id, attempt.name, .late) }
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
                attempts[id]?.phase = if case .begin = order { .beginning } else { .ending }
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
            instructions.append(.order(entry.nextBegin, id))
        }
    }

    mutating func take(_ news: OutboxChange<Command>, _ instructions: inout [Instruction]) {
        switch news {
        case .held(let sequence):
            let before = heldThrough
            heldThrough = sequence
            for id in entries.keys where id.sequence <= before { place(id) }
        case .closed(let id): close(id, &instructions)
        case .open(let command):
            let before = entries[command.id]
            entries[command.id] = Entry(open: command, deadline: deadline(of: command, before))
            if command.row.stage == .parked, before?.open.row.stage != .parked, !isFirstNews {
                note(command.id, command.row.call.name, .parked, command.row.reason)
            }
            enterGroup(of: command.row, before)
            if before == nil, isFirstNews, command.row.stage == .started {
                takeOver(command, &instructions)
            } else if command.row.stage == .started {
                begun(command, &instructions)
            } else {
                place(command.id)
            }
        }
    }

    // The group may depend on the arguments, which can be edited.
    private mutating func enterGroup(of row: OutboxRow, _ before: Entry?) {
        let (old, new) = (before.map { ExactText($0.open.row.group) }, ExactText(row.group))
        guard old != new else { return }
        if !new.text.isEmpty { groups[new, default: Heap()].push(row.id) }
        if let old, !old.text.isEmpty { leave(old) }
    }

    private mutating func leave(_ group: ExactText) {
        if let next = first(of: group.text) { place(next) } else { groups[group] = nil }
    }

    mutating func close(_ id: CommandID, _ instructions: inout [Instruction]) {
        guard let entry = entries.removeValue(forKey: id) else { return }
        if var attempt = attempts[id] {
            switch attempt.phase {
            case .beginning: attempt.phase = .finished
            case .running: instructions.append(.cancel(id))
            // The answer to its order follows.
            case .ending, .kept, .finished: break
            }
            attempts[id] = attempt
            dropIfFinished(id)
        }
        let group = ExactText(entry.open.row.group)
        if !group.text.isEmpty { leave(group) }
    }

    // While the runner runs, a delay counts on the boot clock. After a restart only the wall clock is left, and the rest is capped at the
    // command's delay. Targets of scheduled commands are asked instead, because a wrong clock may have set the record's time.
    func deadline(of command: OpenCommand<Command>, _ before: Entry?) -> Int64 {
        let row = command.row
        guard row.due != 0 else { return 0 }
        if let before, before.open.row.due == row.due { return before.deadline }
        if Entry(open: command, deadline: 0).waitsForItsTime { return 0 }
        let policy = command.command?.policy
        let delay = (row.attempts == 0 && row.waits == 0 ? policy?.waitMax ?? .zero : RunnerOptions.retryAfterMax).microseconds
        // The due time alone tells how long a throttled command waits.
        if before == nil, !isFirstNews, policy?.interval == nil { return now.adding(clamping: delay) }
        if let before, before.deadline > now { return before.deadline }
        return now.adding(clamping: min(max(0, row.due.subtracting(clamping: options.clock.wall())), delay))
    }

    // An attempt of an earlier process may have reached its target.
    mutating func takeOver(_ command: OpenCommand<Command>, _ instructions: inout [Instruction]) {
        guard let policy = command.command?.policy else { return }
        let order: Order
        if !policy.isIdempotent {
            order = .park(
                command.id,
                reason: "uncertain: the daemon ended during attempt \(command.row.attempts), and it may have been executed; "
                    + "check that, then retry or skip it")
        } else if command.row.attempts >= policy.attemptsMax {
            order = .fail(command.id, reason: "The daemon ended during attempt \(command.row.attempts), the last one.")
        } else {
            entries[command.id]?.open.row.stage = .waiting
            return place(command.id)
        }
        attempts[command.id] = Attempt(phase: .ending, name: command.row.call.name)
        instructions.append(.order(order, command.id))
    }

    mutating func begun(_ command: OpenCommand<Command>, _ instructions: inout [Instruction]) {
        guard var attempt = attempts[command.id] else { return }
        switch attempt.phase {
        case .beginning, .kept(.begin): break
        case .running, .ending, .kept, .finished: return
        }
        if isStopping {
            let order = Order.interrupt(command.id)
            attempt.phase = .ending
            instructions.append(.order(order, command.id))
        } else {
            attempt.phase = .running
            attempt.isTargetBusy = true
            instructions.append(.run(command, attempt: command.row.attempts))
        }
        attempts[command.id] = attempt
    }

    func canStart(_ entry: Entry) -> Bool {
        let row = entry.open.row
        guard row.stage == .waiting, entry.command != nil, attempts[row.id] == nil, row.id.sequence > heldThrough else {
            return false
        }
        return row.group.isEmpty || groups[ExactText(row.group)]?.first == row.id
    }

    mutating func place(_ id: CommandID) {
        guard let entry = entries[id] else { return }
        // Updates the group's order, so that no ended command is at its head.
        if !entry.open.row.group.isEmpty { _ = first(of: entry.open.row.group) }
        guard canStart(entry) else { return }
        if entry.deadline > now {
            timers.push(Timer(at: entry.deadline, id: id))
        } else {
            ready[entry.open.row.call.name, default: Heap()].push(id)
        }
    }

    /// Removes and returns the first command that is due and may start; a name at its limit of concurrent attempts is skipped.
    mutating func takeNext(at now: Int64) -> Entry? {
        var next: Entry?
        // A copy of the keys, because holding `ready.keys` would copy a heap on removal.
        for name in Array(ready.keys) {
            guard let entry = firstReady(of: name, at: now), hasRoom(for: entry) else { continue }
            if next.map({ entry.open.id < $0.open.id }) ?? true { next = entry }
        }
        if let next { _ = ready[next.open.row.call.name]?.pop() }
        return next
    }

    private mutating func firstReady(of name: String, at now: Int64) -> Entry? {
        while let id = ready[name]?.first {
            // The command may have ended, started or been held since.
            if let entry = entries[id], canStart(entry), entry.deadline <= now, !setAside(entry) { return entry }
            _ = ready[name]?.pop()
        }
        return nil
    }

    private func hasRoom(for entry: Entry) -> Bool {
        guard let max = entry.command?.policy.runningMax else { return true }
        let name = entry.open.row.call.name
        return attempts.values.count { $0.name == name } < max
    }

    /// Postpones a command whose target says, or can't tell, that its time has not come; nothing is written or counted.
    mutating func setAside(_ entry: Entry) -> Bool {
        guard let command = entry.command else { return false }
        let rest = wait(command)
        guard rest > .zero else { return false }
        let deadline = now.adding(clamping: max(1, rest.microseconds))
        entries[entry.open.row.id]?.deadline = deadline
        place(entry.open.row.id)
        return true
    }

    /// Asks the targets of all scheduled commands again after the wall clock was set.
    mutating func lookAtClock() {
        let ahead = options.clock.wall().subtracting(clamping: now)
        defer { wallAhead = ahead }
        let stepped = ahead.subtracting(clamping: wallAhead ?? ahead)
        guard !(-Self.stepMax...Self.stepMax).contains(stepped) else { return }
        for (id, entry) in entries where entry.waitsForItsTime {
            entries[id]?.deadline = 0
            place(id)
        }
    }

    mutating func first(of name: String) -> CommandID? {
        let group = ExactText(name)
        while let id = groups[group]?.first {
            if let entry = entries[id], ExactText(entry.open.row.group) == group { return id }
            _ = groups[group]?.pop()
        }
        return nil
    }
}

struct Heap<Element: Comparable> {
    private var elements: [Element] = []

    var first: Element? { elements.first }
    var isEmpty: Bool { elements.isEmpty }

    mutating func push(_ element: Element) {
        elements.append(element)
        var child = elements.count - 1
        while child > 0, elements[child] < elements[(child - 1) / 2] {
            elements.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    mutating func pop() -> Element? {
        guard let last = elements.popLast() else { return nil }
        guard let first = elements.first else { return last }
        elements[0] = last
        var parent = 0
        while true {
            let children = [2 * parent + 1, 2 * parent + 2].filter { $0 < elements.count }
            guard let least = children.min(by: { elements[$0] < elements[$1] }), elements[least] < elements[parent] else { break }
            elements.swapAt(least, parent)
            parent = least
        }
        return first
    }
}
