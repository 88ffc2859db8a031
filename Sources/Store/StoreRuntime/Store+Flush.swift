import Records
import Synchronization

extension Store {
    /// Commits what is staged, shows it to everybody and answers: the only place where anything becomes true.
    func commit() {
        defer { stagedLog.pending.restart(after: log.head) }
        guard !stagedLog.pending.answers.isEmpty else { return }
        let failure = write()
        let count = stagedLog.pending.answers.count - stagedLog.pending.orderCount
        // First, so that who has an answer finds it counted.
        let now = monotonicNanoseconds()
        statistics.dispatchTimes.record(nanoseconds: now - min(waitingSince, now), count: count)
        if let failure {
            // Whatever was decided on the staged state is void, refusals included.
            stagedLog.rollBack(to: publisher.present)
            stagedLog.subscriptions = standing.withLock { $0 }
            for waiting in stagedLog.pending.answers { waiting.reply(.failure(failure)) }
        } else {
            stagedLog.noteCommitted()
            for waiting in stagedLog.pending.answers { waiting.reply(waiting.result) }
            if stagedLog.outbox.mark > 0 { tellOfCommands() }
            if let snapshots { snapshots.offer(stagedLog.staged, head: log.head) }
        }
        noteAnswers(count)
    }

    private func write() -> StoreError? {
        statistics.dispatches.add(UInt64(stagedLog.pending.answers.count - stagedLog.pending.orderCount), ordering: .relaxed)
        guard !stagedLog.pending.flush.isEmpty else { return nil }
        options.crashPoints.pass(.beforeCommit)
        let start = monotonicNanoseconds()
        do {
            try log.append(stagedLog.pending.flush)
        } catch {
            statistics.failedFlushes.add(1, ordering: .relaxed)
            let failure = StoreError(error)
            if case .outcomeUnknown(let what) = failure { options.onUnknownOutcome(what) }
            return failure
        }
        options.crashPoints.pass(.afterCommit)
        if stagedLog.pending.endCount > 0 { options.crashPoints.pass(.afterEndCommit) }
        statistics.flushes.add(1, ordering: .relaxed)
        statistics.flushTimes.record(nanoseconds: monotonicNanoseconds() - start)
        statistics.records.add(UInt64(stagedLog.pending.flush.recordCount), ordering: .relaxed)
        if stagedLog.outbox.mark > 0 {
            statistics.note(stagedLog.outbox)
            statistics.rateParked.store(stagedLog.rateGuard.refused, ordering: .relaxed)
        }
        if stagedLog.subscriptions.isChanged { showSubscriptions() }
        stagedLog.pending.whenBegun?()
        let isNews = stagedLog.pending.flush.recordCount > 0 || stagedLog.pending.flush.beginning != nil
        if isNews { publisher.publish(stagedLog.staged) }
        return nil
    }

    private func showSubscriptions() {
        stagedLog.subscriptions.isChanged = false
        standing.withLock { [subscriptions = stagedLog.subscriptions] in $0 = subscriptions }
    }

    private func tellOfCommands() {
        let changes = stagedLog.outbox.takeChanges()
        guard !changes.isEmpty else { return }
        listener?(changes)
        commandBell.ring()
    }
}
