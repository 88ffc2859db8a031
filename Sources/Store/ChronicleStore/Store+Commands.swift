public import Chronicle
import ChronicleLog

extension Store {
    /// Enqueues a command order; callable from any thread, does not block.
    public nonisolated func enqueue(_ order: CommandOrder<App.Action>, reply: @escaping Reply) {
        Self.signal(thread, inbox.add(.order(order, reply), of: order.origin)) { reply(.failure($0)) }
    }

    /// Executes a command order and waits until it is on disk.
    @discardableResult
    public nonisolated func submit(_ order: CommandOrder<App.Action>) async throws(StoreError) -> DispatchResult<App.Command> {
        try await withCheckedContinuation { continuation in
            enqueue(order) { continuation.resume(returning: $0) }
        }.get()
    }

    /// Sets the only listener, which gets all open commands now and the changes of each later flush; `nil` removes it.
    /// - Throws: `.stopping`, `.busy`.
    public nonisolated func listen(_ listener: CommandListener<App.Command>?) async throws(StoreError) {
        try await run(.inOrder) { store in
            store.listener = listener
            listener?(store.stagedLog.outbox.all)
        }
    }

    /// The open commands on disk, in starting order.
    /// - Throws: `.queryBusy`, `.damaged`, `.unreadable`.
    public nonisolated func commands() async throws(StoreError) -> [OpenCommand<App.Command>] {
        try await queries.admit(.short) { queries throws(StoreError) in
            try await queries.yieldIfNeeded()
            return try StoreError.reading { () throws(ActionLogError) in try self.log.outbox() }
                .map { OpenCommand(row: $0, command: StagedLog<App>.command(of: $0)) }
        }
    }

    /// Delivers the open commands on disk, and again after each flush that changed them, for as long as the task lives.
    ///
    /// Changes during a delivery, or soon after, are merged.
    /// - Parameter deliver: takes all commands, in starting order, and returns when there is room for more.
    /// - Throws: `.stopping` when the store stops, `.damaged`, `.unreadable`, and the errors of `deliver`.
    public nonisolated func watchCommands(deliver: ([OpenCommand<App.Command>]) async throws -> Void) async throws {
        commandReader.join()
        defer { commandReader.leave() }
        var told: UInt64?
        while true {
            let reading = try await commandReader.next(after: told) { () async throws(StoreError) in try await commands() }
            try await deliver(reading.commands)
            told = reading.generation
            try await Task.sleep(for: reading.pause)
        }
    }

    /// Identifies the log to the outside; stable over restarts.
    public nonisolated var id: String { log.head.storeID }

    public nonisolated var crashPoints: CrashPoints { options.crashPoints }
}

/// Reads the open commands for all of their subscribers: reads are shared, and never concurrent.
final class CommandReader<Command: NamedCommand>: Sendable {
    struct Reading: Sendable {
        let commands: [OpenCommand<Command>]
        let generation: UInt64
        /// The minimum time until the next read: ten times its duration, so that other queries get their share.
        let pause: Duration
        let end: ContinuousClock.Instant
    }

    private struct Content {
        /// The number of flushes that changed the open commands.
        var generation: UInt64 = 0
        var hasEnded = false
        var subscribers = 0
        var isReading = false
        var latest: Reading?
    }

    private enum Turn: Sendable {
        case known(Reading)
        case pause(Duration)
        case read(UInt64)
        case ended
    }

    private let content = Monitor(Content())

    private static var pauseMin: Duration { .milliseconds(Limits.commandsPauseMilliseconds) }

    /// Notes a flush that changed the open commands.
    func notify() { content.withLock { $0.generation += 1 } }

    func end() { content.withLock { $0.hasEnded = true } }

    func join() { content.withLock { $0.subscribers += 1 } }

    func leave() {
        content.withLock { content in
            content.subscribers -= 1
            if content.subscribers == 0 { content.latest = nil }
        }
    }

    /// Waits for a reading that is newer than a generation, which is the last one that the subscriber got; `nil` before the first.
    /// - Throws: `.stopping` when the store stops; the errors of `read`, except `.queryBusy`.
    func next(
        after told: UInt64?, _ read: () async throws(StoreError) -> [OpenCommand<Command>]
    ) async throws -> Reading {
        while true {
            switch await content.waitUnlessCancelled({ Self.turn(after: told, &$0) }) {
            case .known(let reading): return reading
            case .pause(let pause): try await Task.sleep(for: pause)
            case .read(let generation):
                let begin = ContinuousClock.now
                var reading: Reading?
                defer { end(reading) }
                do throws(StoreError) {
                    let (commands, end) = (try await read(), ContinuousClock.now)
                    reading = Reading(
                        commands: commands, generation: generation, pause: max(Self.pauseMin, (end - begin) * 10), end: end)
                } catch {
                    guard error == .queryBusy else { throw error }
                }
                if let reading { return reading }
                try await Task.sleep(for: Self.pauseMin)
            case .ended, nil: throw StoreError.stopping
            }
        }
    }

    private static func turn(after told: UInt64?, _ content: inout Content) -> Turn? {
        if let told, content.generation <= told { return content.hasEnded ? .ended : nil }
        if let latest = content.latest {
            if latest.generation >= content.generation { return .known(latest) }
            let age = latest.end.duration(to: .now)
            if age < latest.pause {
                // A new subscriber may depend on a command that it requested just now, so an older reading will not do.
                if let told, latest.generation > told { return .known(latest) }
                return .pause(latest.pause - age)
            }
        }
        if content.isReading { return nil }
        content.isReading = true
        return .read(content.generation)
    }

    private func end(_ reading: Reading?) {
        content.withLock { content in
            content.isReading = false
            if let reading, content.subscribers > 0 { content.latest = reading }
        }
    }
}
