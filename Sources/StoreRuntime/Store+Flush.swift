import ActionLogs
import Synchronization

extension Store {
    /// Commits what is staged, shows it to everybody and answers: the only place where anything becomes true.
    func commit() {
        defer { staging.pending.restart(after: log.head) }
        guard !staging.pending.answers.isEmpty else { return }
        if let failure = write() {
            // Whatever was judged on the staged state is void, refusals included.
            staging.rollBack(to: feed.present)
            for waiting in staging.pending.answers { waiting.reply(.failure(failure)) }
        } else {
            for waiting in staging.pending.answers { waiting.reply(waiting.result) }
            if staging.outbox.mark > 0 { tellOfCommands() }
            if let snapshots { snapshots.offer(staging.staged, head: log.head) }
        }
        noteAnswers(staging.pending.answers.count - staging.pending.orderCount)
    }

    private func write() -> StoreError? {
        statistics.dispatches.add(UInt64(staging.pending.answers.count - staging.pending.orderCount), ordering: .relaxed)
        guard !staging.pending.flush.isEmpty else { return nil }
        options.crashPoints.pass(.beforeCommit)
        let start = monotonicNanoseconds()
        do {
            try log.append(staging.pending.flush)
        } catch {
            statistics.failedFlushes.add(1, ordering: .relaxed)
            let failure = StoreError(error)
            if case .outcomeUnknown(let what) = failure { options.onUnknownOutcome(what) }
            return failure
        }
        options.crashPoints.pass(.afterCommit)
        if staging.pending.endCount > 0 { options.crashPoints.pass(.afterEndCommit) }
        statistics.flushes.add(1, ordering: .relaxed)
        let time = monotonicNanoseconds() - start
        statistics.flushNanoseconds.add(time, ordering: .relaxed)
        statistics.flushTimes.record(nanoseconds: time)
        statistics.records.add(UInt64(staging.pending.flush.recordCount), ordering: .relaxed)
        if staging.outbox.mark > 0 { statistics.note(staging.outbox.counts) }
        if staging.pending.flush.recordCount > 0 { feed.publish(staging.staged) }
        return nil
    }

    private func tellOfCommands() {
        let news = staging.outbox.settle()
        if let listener, !news.isEmpty { listener(news) }
    }
}
