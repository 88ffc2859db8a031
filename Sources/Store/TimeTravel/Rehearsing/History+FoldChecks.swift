import Records
import Reducing
public import StoreRuntime
import Synchronization
import Values

extension History {
    /// Leaves behind, for code that comes later, what each record changes in the state, up to the head.
    ///
    /// It goes on from where the last call came to, else from the last run that is of this code and this log. It folds on the query
    /// thread, and lets others go first. Far behind, of a large state it begins at the head, so that no second one is held.
    ///
    /// - Parameters:
    ///   - rest: how much longer than each piece of work the rest after it is while the log grows; a tenth of that while it does not.
    ///   - deadline: when it ends at the latest; `nil`: at the head.
    /// - Returns: how many records it went through.
    @discardableResult
    public func leaveChecks(
        resting rest: Int = 0, until deadline: ContinuousClock.Instant? = nil
    ) async throws(StoreError) -> UInt64 {
        guard loader.keepsChecks, checking.withLock({ $0?.0.sequence }) != head else { return 0 }
        return try await queries.perform(.long) { (queries) async throws(StoreError) in
            var (past, run) = try await self.checked(queries)
            let begin = past.sequence
            while past.sequence < self.head {
                let (began, head) = (ContinuousClock.now, self.head)
                if let deadline, began >= deadline { break }
                // What was taken out of the log must not stay in a check.
                guard self.redactions == past.redactions else { return past.sequence - begin }
                let end = run.first + FoldChecks.recordsMax - 1
                guard try self.checkSlice(&past, through: min(end, head), &run) else { return 0 }
                if past.sequence == end || past.sequence == head { await self.loader.leave(run, at: past.sequence) }
                if past.sequence == end {
                    run = FoldChecks(first: end + 1, fingerprint: "", redactions: past.redactions)
                }
                self.checking.withLock { $0 = (past, run) }
                try await queries.yieldIfNeeded()
                let pause = self.head == head ? rest / 10 : rest
                if pause > 0 { try? await Task.sleep(for: (ContinuousClock.now - began) * pause) }
            }
            // The store has the same, and then one is enough.
            if let present = self.present(at: past.sequence) { self.checking.withLock { $0 = (present, run) } }
            return past.sequence - begin
        }
    }

    /// Where to go on, and what is known of the run that it is in.
    private func checked(_ queries: isolated Queries) async throws(StoreError) -> (PastState<App>, FoldChecks) {
        let redactions = redactions
        if let known = checking.withLock({ $0 }), known.0.sequence >= base.sequence, known.0.redactions == redactions {
            return known
        }
        let kept = await loader.usableChecks()
        var start = max(kept?.last ?? 0, base.sequence)
        let head = head
        if head - start > HistoryLimits.rehearsedTailMax, var present = present(at: head) {
            present.estimateBytes()
            if present.bytes > HistoryLimits.pastBytesMax { start = head }
        }
        var past = try await self.past(at: start, queries)
        past.redactions = redactions
        if let kept, kept.last == start, kept.checks.count < FoldChecks.recordsMax { return (past, kept) }
        let first = FoldChecks.first(for: start + 1)
        let before = [UInt32](repeating: FoldChecks.unknown, count: Int(start + 1 - first))
        return (past, FoldChecks(first: first, checks: before, fingerprint: "", redactions: redactions))
    }

    /// Folds on, noting what each record changes; `false` for an app that can't say.
    private func checkSlice(
        _ past: inout PastState<App>, through last: UInt64, _ run: inout FoldChecks
    ) throws(StoreError) -> Bool {
        var isKnown = true
        var (state, checks) = (past.state, run.checks)
        try foldSlice(&past, through: last) { past, _ in
            guard let bytes = App.changedBytes(from: state, to: past.state) else {
                isKnown = false
                return false
            }
            checks.append(FoldChecks.check(bytes))
            state = past.state
            return true
        }
        run.checks = checks
        return isKnown
    }
}
