import ChronicleLog
import Synchronization

extension Store {
    /// Commits the batch, publishes the new state, then replies: the only commit point.
    func commit() { commit(until: stagedLog.shared?.deadlineFromNow ?? .max) }

    /// Commits until a deadline in nanoseconds of the monotonic clock; a log that is not shared ignores it.
    func commit(until deadline: UInt64) {
        defer {
            stagedLog.pending.restart(after: log.head)
            if !judgements.isEmpty { judgements = [] }
        }
        guard !stagedLog.pending.answers.isEmpty else { return }
        var failure = write(until: deadline)
        if let error = failure, stagedLog.shared != nil { failure = commitAnew(after: error, until: deadline) }
        // Counted before the replies, so that a client with an answer finds it counted, and after the last decision: a decision on a
        // state that others have changed is repeated.
        let (count, refused) = stagedLog.pending.counts
        statistics.dispatches.add(UInt64(count), ordering: .relaxed)
        if failure == nil { statistics.refused.add(UInt64(refused), ordering: .relaxed) }
        let now = monotonicNanoseconds()
        statistics.dispatchTimes.record(nanoseconds: now - min(waitingSince, now), count: count)
        if let failure {
            // All decisions on the staged state are void, including refusals.
            stagedLog.rollBack(to: publisher.present)
            stagedLog.pending.fail(with: StoreError(failure))
        } else {
            stagedLog.noteCommitted()
            if stagedLog.shared != nil, !stagedLog.pending.flush.isEmpty { note(obstacle: nil) }
            stagedLog.pending.answer()
            if stagedLog.outbox.mark > 0 { tellOfCommands() }
            if let snapshots { snapshots.offer(at: stagedLog.staged.sequence) { (stagedLog.staged, log.head) } }
        }
        noteAnswers(count)
    }

    func write(until deadline: UInt64) -> ActionLogError? {
        guard !stagedLog.pending.flush.isEmpty else { return stagedLog.pending.isSettled ? nil : readIndex(until: deadline) }
        options.crashPoints.pass(.beforeCommit)
        let start = monotonicNanoseconds()
        do {
            if let shared = stagedLog.shared {
                try shared.append(stagedLog.pending.flush, until: deadline)
            } else {
                try stagedLog.pending.write(to: log)
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
        stagedLog.pending.whenBegun?()
        if stagedLog.pending.isNews { publisher.publish(stagedLog.staged) }
        return nil
    }

    func tellOfCommands() {
        let changes = stagedLog.outbox.takeChanges()
        guard !changes.isEmpty else { return }
        listener?(changes)
        commandChanges.notify()
    }
}
