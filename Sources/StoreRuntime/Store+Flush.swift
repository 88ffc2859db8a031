import ActionLogs
import Synchronization

extension Store {
    /// Commits what is staged, shows it to everybody and answers: the only place where anything becomes true.
    func commit() {
        defer { pending.restart(after: log.head) }
        guard !pending.answers.isEmpty else { return }
        if let failure = write() {
            // Whatever was judged on the staged state is void, refusals included.
            staged = feed.present
            outbox.undo(to: 0)
            lastRewrite = min(lastRewrite, staged.sequence)
            continuations.forget(after: staged.sequence)
            for waiting in pending.answers { waiting.reply(.failure(failure)) }
        } else {
            for waiting in pending.answers { waiting.reply(waiting.result) }
            if outbox.mark > 0 { tellOfCommands() }
            if let snapshots { snapshots.offer(staged, head: log.head) }
        }
        noteAnswers(pending.answers.count - pending.orderCount)
    }

    private func write() -> StoreError? {
        statistics.dispatches.add(UInt64(pending.answers.count - pending.orderCount), ordering: .relaxed)
        guard !pending.flush.isEmpty else { return nil }
        options.crashPoints.pass(.beforeCommit)
        let start = monotonicNanoseconds()
        do {
            try log.append(pending.flush)
        } catch {
            statistics.failedFlushes.add(1, ordering: .relaxed)
            let failure = StoreError(error)
            if case .outcomeUnknown(let what) = failure { options.onUnknownOutcome(what) }
            return failure
        }
        options.crashPoints.pass(.afterCommit)
        if pending.endCount > 0 { options.crashPoints.pass(.afterEndCommit) }
        statistics.flushes.add(1, ordering: .relaxed)
        let time = monotonicNanoseconds() - start
        statistics.flushNanoseconds.add(time, ordering: .relaxed)
        statistics.flushTimes.record(nanoseconds: time)
        statistics.records.add(UInt64(pending.flush.recordCount), ordering: .relaxed)
        if outbox.mark > 0 { statistics.note(outbox.counts) }
        if pending.flush.recordCount > 0 { feed.publish(staged) }
        return nil
    }

    private func tellOfCommands() {
        let news = outbox.settle()
        if let listener, !news.isEmpty { listener(news) }
    }
}
