import Chronicle
import ChronicleLog
import ChronicleStore

enum AttemptOutcome<Action: Sendable>: Sendable {
    case result(Action?)
    case failed(CommandFailure)
    case timedOut
    case interrupted
}

extension Schedule {
    mutating func end(_ id: CommandID, _ outcome: AttemptOutcome<Action>, _ instructions: inout [Instruction]) {
        guard case .running? = attempts[id]?.phase else { return }
        let order: Order?
        if let entry = entries[id] {
            order = self.order(for: outcome, of: entry)
        } else if case .result(let fact) = outcome {
            // The store refuses and counts orders for ended commands.
            order = .end(id, fact)
        } else {
            order = nil
        }
        attempts[id]?.phase = order == nil ? .finished : .ending
        if let order { instructions.append(.order(order, id)) }
    }

    mutating func order(for outcome: AttemptOutcome<Action>, of entry: Entry) -> Order? {
        let (id, policy) = (entry.open.id, entry.command?.policy ?? CommandPolicy())
        let attempt = entry.open.row.attempts
        switch outcome {
        case .result(let fact): return .end(id, fact)
        // It is unknown whether the work was done: the row says that an attempt was started, and the next start continues from there.
        case .interrupted: return policy.isIdempotent ? .interrupt(id) : nil
        case .failed(let failure) where failure.wait != nil && entry.open.row.waits >= CommandTicket.waitsMax:
            return fail(entry, "It was postponed \(CommandTicket.waitsMax) times and never executed.")
        // Also when the runner stops, because it is known that nothing was done.
        case .failed(let failure) where failure.wait != nil: return putOff(entry, failure.wait ?? .zero)
        case .failed where isStopping: return policy.isIdempotent ? .interrupt(id) : nil
        case .failed(let failure) where failure.isPermanent || attempt >= policy.attemptsMax:
            return fail(entry, failure.reason)
        case .failed(let failure): return postpone(entry, failure.reason, asking: failure.retryAfter)
        case .timedOut:
            let reason = "There was no answer within \(policy.timeout)."
            if !policy.isIdempotent {
                return .park(id, reason: "uncertain: \(reason) It may have been executed; check that, then retry or skip it")
            }
            return attempt >= policy.attemptsMax ? fail(entry, reason) : postpone(entry, reason, asking: nil)
        }
    }

    func fail(_ entry: Entry, _ reason: String) -> Order {
        note(entry.open.id, entry.open.row.call.name, .failed, reason)
        return .fail(entry.open.id, reason: reason)
    }

    mutating func postpone(_ entry: Entry, _ reason: String, asking retryAfter: Duration?) -> Order {
        let pause = options.backoff(after: entry.open.row.attempts, asking: retryAfter)
        note(entry.open.id, entry.open.row.call.name, .retrying(after: pause), reason)
        let deadline = now.adding(clamping: pause.microseconds)
        entries[entry.open.id]?.deadline = deadline
        return .postpone(entry.open.id, due: options.clock.wall().adding(clamping: pause.microseconds), reason: reason)
    }

    mutating func putOff(_ entry: Entry, _ wait: Duration) -> Order {
        let pause = min(max(wait, .zero), RunnerOptions.retryAfterMax).microseconds
        let deadline = now.adding(clamping: pause)
        entries[entry.open.id]?.deadline = deadline
        return .wait(entry.open.id, due: options.clock.wall().adding(clamping: pause))
    }

    func note(_ id: CommandID, _ name: String, _ event: RunnerNote.Event, _ reason: String = "") {
        options.note(RunnerNote(id: id, name: name, event: event, reason: reason))
    }

    /// The outcome of an attempt is on disk, or will never be.
    mutating func finish(_ id: CommandID) {
        attempts[id]?.phase = .finished
        dropIfFinished(id)
    }

    mutating func take(_ error: StoreError, for order: Order, of id: CommandID) {
        guard let attempt = attempts[id] else { return }
        switch (attempt.phase, order) {
        // A begin that was in doubt may have been committed, and then the store's news have already started the attempt.
        case (.running, .begin), (.ending, .begin), (.kept, .begin), (.finished, .begin): return
        default: break
        }
        switch (error, order) {
        // Repeated with the same number, so that a begin that was committed does not cost an attempt.
        case (.inDoubt, .begin) where !isStopping && entries[id] != nil: keep(order, of: id)
        case (.storageFull, .begin), (.busy, .begin), (.unavailable, .begin), (.inDoubt, .begin):
            pause()
            finish(id)
            place(id)
        case (.storageFull, _) where !isStopping, (.busy, _) where !isStopping, (.unavailable, _) where !isStopping,
            (.inDoubt, _) where !isStopping:
            note(id, attempt.name, .waitingForRoom)
            keep(order, of: id)
        // A batch that is too large for a shared log stays too large.
        case (.batchTooLarge, .end) where !isStopping, (.batchTooLarge, .fail) where !isStopping:
            keep(.park(id, reason: "Its result is larger than the log accepts at once."), of: id)
        case (.commandClosed, .end), (.commandClosed, .fail):
            note(id, attempt.name, .late)
            finish(id)
        // The reason comes with the store's changes.
        case (.commandClosed, _), (.commandHeld, _), (.storageFull, _), (.busy, _), (.unavailable, _), (.inDoubt, _): finish(id)
        default:
            // The store has stopped or refuses everything.
            isStopping = true
            finish(id)
        }
    }

    private mutating func keep(_ order: Order, of id: CommandID) {
        attempts[id]?.phase = .kept(order)
        pause()
    }

    private mutating func pause() { pausedUntil = now.adding(clamping: RunnerOptions.storagePause.microseconds) }

    mutating func dropIfFinished(_ id: CommandID) {
        guard let attempt = attempts[id], case .finished = attempt.phase, !attempt.isTargetBusy else { return }
        attempts[id] = nil
    }
}
