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
        let refusal: StoreError? = await withCheckedContinuation { continuation in
            let call = Call.task { store in
                store.commit()
                store.listener = listener
                listener?(store.stagedLog.outbox.all)
                continuation.resume(returning: nil)
            }
            Self.signal(thread, inbox.add(call, cost: Limits.sliceCostMax)) { continuation.resume(returning: $0) }
        }
        if let refusal { throw refusal }
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
        commandReadings.join()
        defer { commandReadings.leave() }
        var told: UInt64?
        while true {
            let reading = try await commandReading(after: told)
            try await deliver(reading.commands)
            told = reading.generation
            try await Task.sleep(for: reading.pause)
            guard await commandChanges.next(after: reading.generation) else { throw StoreError.stopping }
        }
    }

    /// The last read, or a new one; reads are never concurrent.
    private nonisolated func commandReading(after told: UInt64?) async throws -> CommandReading<App.Command> {
        while true {
            switch commandReadings.turn(after: told, generation: commandChanges.generation) {
            case .known(let reading): return reading
            case .wait(let pause): try await Task.sleep(for: pause)
            case .read:
                let (generation, begin) = (commandChanges.generation, ContinuousClock.now)
                do throws(StoreError) {
                    let reading = CommandReading(try await commands(), generation: generation, since: begin)
                    commandReadings.end(reading)
                    return reading
                } catch {
                    commandReadings.end(nil)
                    guard error == .queryBusy else { throw error }
                }
                try await Task.sleep(for: .milliseconds(Limits.commandsPauseMilliseconds))
            }
        }
    }

    /// Identifies the log to the outside; stable over restarts.
    public nonisolated var id: String { log.head.storeID }

    public nonisolated var crashPoints: CrashPoints { options.crashPoints }
}
