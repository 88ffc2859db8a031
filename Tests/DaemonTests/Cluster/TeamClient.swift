import DispatchHistory
import Glibc
import TestSupport
import TodoClient
import Varlink

/// Microseconds of a monotonic clock.
func uptime() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
}

/// A client with a preferred daemon that switches to others when it fails, and records all observations.
struct TeamClient {
    /// The next operation of a client.
    private enum Wish { case increment, batch, reminder, once, expecting, again, read }

    /// The timeout of an answer.
    ///
    /// After it the daemon may still execute the call.
    private static let patienceMilliseconds = 4_000
    private static let refusals: Set<String> = ["Unavailable", "StorageFull", "StoreBusy", "Stopping"]

    private let sockets: [String]
    private let home: Int
    private var generator: SeededGenerator
    private var keys: Keys
    private var connection: (daemon: Int, client: Client)?
    /// The last record in an answer.
    private var last: Int64 = 0
    private(set) var history = DispatchHistory()
    /// The keys of dispatches that requested a reminder.
    private(set) var reminders: Set<String> = []

    init(_ sockets: [String], home: Int, seed: UInt64) {
        (self.sockets, self.home) = (sockets, home)
        generator = SeededGenerator(seed)
        keys = Keys(seed: seed)
    }

    /// Performs one operation, however long it takes.
    mutating func work() throws {
        if let connection, connection.daemon != home, Int.random(in: 0..<20, using: &generator) == 0 { self.connection = nil }
        switch wish() {
        case .increment: try dispatch([Actions.increment], untilKnown: true)
        case .batch: try dispatch([Actions.increment, Actions.increment, Actions.increment], untilKnown: true)
        case .once: try dispatch([Actions.increment], untilKnown: false)
        case .expecting: try dispatch([Actions.increment], expecting: last, untilKnown: true)
        case .reminder:
            let key = keys.next()
            reminders.insert(key)
            let isSlow = Int.random(in: 0..<4, using: &generator) == 0
            try dispatch([TeamReminders.add(key, isSlow: isSlow)], key: key, untilKnown: true)
        case .again: try askAgain()
        case .read: try read()
        }
    }

    private mutating func wish() -> Wish {
        switch Int.random(in: 0..<100, using: &generator) {
        case 0..<5: .batch
        case 5..<7: .reminder
        case 7..<12: .once
        case 12..<16: .expecting
        case 16..<19: .again
        case 19..<24: .read
        default: .increment
        }
    }

    // MARK: - Operations

    private mutating func dispatch(
        _ actions: [Value], key: String? = nil, expecting expected: Int64? = nil, untilKnown: Bool
    ) throws {
        var seen = SeenDispatch(key ?? keys.next(), count: actions.count, expected: expected)
        var members: [Value.Field] = [.init("actions", .list(actions)), .init("key", .text(seen.key))]
        if let expected { members.append(.init("expectedSequence", .int(expected))) }
        try ask(&seen, .record(members), untilKnown: untilKnown)
        history.dispatches.append(seen)
    }

    /// Repeats a known dispatch at another daemon, which must have the same answer.
    private mutating func askAgain() throws {
        guard let index = history.dispatches.indices.last, history.dispatches[index].expected == nil,
            case .acknowledged? = history.dispatches[index].attempts.last?.outcome,
            !reminders.contains(history.dispatches[index].key)
        else { return try dispatch([Actions.increment], untilKnown: true) }
        var seen = history.dispatches[index]
        moveOn()
        let actions = [Value](repeating: Actions.increment, count: seen.count)
        try ask(&seen, Client.dispatch(actions, key: seen.key), untilKnown: true)
        history.dispatches[index] = seen
    }

    private mutating func ask(_ seen: inout SeenDispatch, _ parameters: Value, untilKnown: Bool) throws {
        let deadline = ContinuousClock.now + .seconds(90)
        while true {
            guard let client = connected() else {
                guard ContinuousClock.now < deadline else { throw Unexpected("no daemon for \(seen)") }
                continue
            }
            let asked = uptime()
            let outcome: SeenDispatch.Outcome
            do {
                outcome = try self.outcome(client.ask("org.todod.Store.Dispatch", parameters))
            } catch is VarlinkClientError {
                outcome = .unknown
                connection = nil
            }
            seen.attempts.append(.init(asked, uptime(), outcome))
            switch outcome {
            case .acknowledged(let sequences, _):
                last = max(last, sequences.last ?? 0)
                return
            case .stale: return
            case .refused, .unknown: if !untilKnown { return moveOn() }
            }
            guard ContinuousClock.now < deadline else { throw Unexpected("no daemon accepted \(seen) in time") }
            moveOn()
        }
    }

    private func outcome(_ reply: Reply) throws -> SeenDispatch.Outcome {
        switch Client.short(reply) {
        case "":
            let answer = try Client.Answer(Client.result(reply))
            return .acknowledged(answer.sequences, isDuplicate: answer.isDuplicate)
        case "StaleSequence":
            return .stale(reply.parameters.first { $0.name == "sequence" }?.value.int ?? 0)
        case "OutcomeUnknown": return .unknown
        case let name where Self.refusals.contains(name): return .refused
        default: throw Unexpected("\(reply)")
        }
    }

    /// Reads its own writes at any daemon.
    private mutating func read() throws {
        if Bool.random(using: &generator) { moveOn() }
        guard let client = connected() else { return }
        let (asked, minimum) = (uptime(), last)
        do {
            let reply = try client.ask("org.todod.Store.GetState", ["scope": "counter", "minimumSequence": .int(minimum)])
            // A read that waits too long, or that exceeds the number of waiting reads, gets an error.
            guard reply.error == nil else { return moveOn() }
            let answer = try Client.result(reply)
            guard let sequence = answer["sequence"]?.int, let total = answer["state"]?["counter"]?["count"]?.int else {
                throw Unexpected("\(answer)")
            }
            history.reads.append(
                SeenRead(asked: asked, answered: uptime(), minimum: minimum, sequence: sequence, total: total))
        } catch is VarlinkClientError {
            connection = nil
            moveOn()
        }
    }

    // MARK: - Connections

    /// The current daemon, or the preferred one as soon as it is back.
    private mutating func connected() -> Client? {
        if let connection { return connection.client }
        if let client = connect(to: home) { return client }
        return connect(to: (home + Int.random(in: 1..<sockets.count, using: &generator)) % sockets.count)
    }

    private mutating func connect(to daemon: Int) -> Client? {
        guard let client = try? Client(sockets[daemon], patience: Self.patienceMilliseconds) else {
            usleep(20_000)
            return nil
        }
        connection = (daemon, client)
        return client
    }

    private mutating func moveOn() {
        let daemon = ((connection?.daemon ?? home) + 1) % sockets.count
        connection = nil
        usleep(20_000)
        _ = connect(to: daemon)
    }
}
