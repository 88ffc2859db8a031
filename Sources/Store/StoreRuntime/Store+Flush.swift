import Records
import Synchronization

extension Store {
    /// Commits what is staged, shows it to everybody and answers: the only place where anything becomes true.
    func commit() { commit(until: stagedLog.shared?.deadlineFromNow ?? .max) }

    /// Does it, or gives up at a deadline, in nanoseconds of the monotonic clock; a log of one's own knows none.
    func commit(until deadline: UInt64) {
        defer {
            stagedLog.pending.restart(after: log.head)
            if !judgements.isEmpty { judgements = [] }
        }
        guard !stagedLog.pending.answers.isEmpty else { return }
        var failure = write(until: deadline)
        if let error = failure, stagedLog.shared != nil { failure = commitAnew(after: error, until: deadline) }
        let count = stagedLog.pending.answers.count - stagedLog.pending.orderCount
        // First, so that who has an answer finds it counted.
        statistics.dispatches.add(UInt64(count), ordering: .relaxed)
        let now = monotonicNanoseconds()
        statistics.dispatchTimes.record(nanoseconds: now - min(waitingSince, now), count: count)
        if let failure {
            // Whatever was decided on the staged state is void, refusals included.
            takeBackStaged()
            stagedLog.pending.fail(with: StoreError(failure))
        } else {
            stagedLog.noteCommitted()
            if stagedLog.shared != nil, !stagedLog.pending.flush.isEmpty { note(obstacle: nil) }
            stagedLog.pending.answer()
            if stagedLog.outbox.mark > 0 { tellOfCommands() }
            if let snapshots { snapshots.offer(stagedLog.staged, head: log.head) }
        }
        noteAnswers(count)
    }

    /// Goes back to what is on disk.
    func takeBackStaged() {
        stagedLog.rollBack(to: publisher.present)
        stagedLog.subscriptions = standing.withLock { $0 }
    }

    /// Commits what is staged and shows it; why not, if that fails.
    func write(until deadline: UInt64) -> ActionLogError? {
        guard !stagedLog.pending.flush.isEmpty else { return stagedLog.pending.isSettled ? nil : confirm(until: deadline) }
        options.crashPoints.pass(.beforeCommit)
        let start = monotonicNanoseconds()
        do {
            if let shared = stagedLog.shared {
                try shared.append(stagedLog.pending.flush, until: deadline)
            } else {
                try log.append(stagedLog.pending.flush)
            }
        } catch {
            statistics.failedFlushes.add(1, ordering: .relaxed)
            if case .unknownOutcome(let what) = error { options.onUnknownOutcome(what) }
            return error
        }
        options.crashPoints.pass(.afterCommit)
        if stagedLog.pending.endCount > 0 { options.crashPoints.pass(.afterEndCommit) }
        statistics.flushes.add(1, ordering: .relaxed)
        lastFlushTime = monotonicNanoseconds() - start
        statistics.flushTimes.record(nanoseconds: lastFlushTime)
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

    func showSubscriptions() {
        stagedLog.subscriptions.isChanged = false
        standing.withLock { [subscriptions = stagedLog.subscriptions] in $0 = subscriptions }
    }

    func tellOfCommands() {
        let changes = stagedLog.outbox.takeChanges()
        guard !changes.isEmpty else { return }
        listener?(changes)
        commandBell.ring()
    }
}
