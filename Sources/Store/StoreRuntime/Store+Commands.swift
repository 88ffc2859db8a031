import Records
public import Reducing

extension Store {
    /// Puts an order of the runner or of a person in line; from any thread, without waiting.
    public nonisolated func enqueue(_ order: CommandOrder<App.Action>, reply: @escaping Reply) {
        signal(inbox.add(.order(order, reply), of: order.origin)) { reply(.failure($0)) }
    }

    /// Gives an order and waits until it is on disk.
    @discardableResult
    public nonisolated func submit(
        _ order: CommandOrder<App.Action>
    ) async throws(StoreError) -> Acknowledgement<App.Command> {
        try await withCheckedContinuation { continuation in
            enqueue(order) { continuation.resume(returning: $0) }
        }.get()
    }

    /// Has a listener told of every open command now, and then after each flush of what it changed; `nil` ends that.
    ///
    /// There is one listener: it takes the place of the one before. Throws `.stopping` and `.busy`.
    public nonisolated func listen(_ listener: CommandListener<App.Command>?) async throws(StoreError) {
        let refusal: StoreError? = await withCheckedContinuation { continuation in
            let call = Call.task { store in
                store.commit()
                store.listener = listener
                listener?(store.stagedLog.outbox.all)
                continuation.resume(returning: nil)
            }
            signal(inbox.add(call, cost: Limits.sliceCostMax)) { continuation.resume(returning: $0) }
        }
        if let refusal { throw refusal }
    }

    /// The open commands as they stand on disk, in the order in which they start.
    ///
    /// - Throws: `.queryBusy`, `.damaged`, `.unreadable`.
    public nonisolated func commands() async throws(StoreError) -> [OpenCommand<App.Command>] {
        try await queries.admit(.short) { queries throws(StoreError) in
            try await queries.yieldIfNeeded()
            return try StoreError.reading { () throws(ActionLogError) in try self.log.outbox() }
                .map { OpenCommand(row: $0, command: StagedLog<App>.command(of: $0)) }
        }
    }

    /// Delivers the open commands as they stand on disk, and again after each flush that changed them, for as long as the task lives.
    ///
    /// What changes while they are delivered, or soon after, is delivered together.
    ///
    /// - Parameter deliver: takes all of them, in the order in which they start, and returns when there is room for more.
    /// - Throws: `.stopping` when the store stops, `.damaged`, `.unreadable`, and what `deliver` throws.
    public nonisolated func watchCommands(deliver: ([OpenCommand<App.Command>]) async throws -> Void) async throws {
        commandReadings.join()
        defer { commandReadings.leave() }
        var told: UInt64?
        while true {
            let reading = try await commandReading(after: told)
            try await deliver(reading.commands)
            told = reading.rings
            try await Task.sleep(for: reading.pause)
            guard await commandBell.next(after: reading.rings) else { throw StoreError.stopping }
        }
    }

    /// What was read last, or what is read now; never by two at once.
    private nonisolated func commandReading(after told: UInt64?) async throws -> CommandReading<App.Command> {
        while true {
            switch commandReadings.turn(after: told, rings: commandBell.rings) {
            case .known(let reading): return reading
            case .wait(let pause): try await Task.sleep(for: pause)
            case .read:
                let (rings, begin) = (commandBell.rings, ContinuousClock.now)
                do throws(StoreError) {
                    let reading = CommandReading(try await commands(), rings: rings, since: begin)
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

    /// Names the log in what is told to the world; the same after every restart.
    public nonisolated var id: String { log.head.storeID }

    /// Where a test kills the process; the runner's places are among them.
    public nonisolated var crashPoints: CrashPoints { options.crashPoints }
}
