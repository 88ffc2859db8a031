public import Chronicle
import ChronicleLog
public import ChronicleStore

extension Undoer {
    /// Merges a fork into the present, as one step.
    ///
    /// Changes of both logs to the same value are conflicts. New ids are renumbered if needed. Earlier merges are not repeated.
    /// - Parameter call: if it insists, conflicts are resolved in favor of the fork.
    /// - Throws: `badFork`, `conflict`; `pruned` if the log was compacted past the last shared record.
    public func merge(_ fork: ForkRecords<App>, _ call: UndoCall) async throws(StoreError) -> Undone<App.Command> {
        try await serialized(call, digest: Self.digest(of: fork, insists: call.insists)) { call async throws(StoreError) in
            let present = store.present
            let merge = try await history.merge(of: fork, into: present)
            if let merge, !call.insists, !merge.conflicts.isEmpty { throw .conflict(merge.conflicts) }
            let reversion = try await history.reversion(from: present.state, to: merge?.wanted ?? present.state)
            return try await commit(
                reversion, call, merges: merge?.mark, cancelling: .these([]), through: present.sequence)
        }
    }

    private static func digest(of fork: ForkRecords<App>, insists: Bool) -> UInt64 {
        var writer = CanonicalWriter()
        writer.field(1, fork.epoch)
        writer.field(2, fork.point)
        writer.field(3, fork.last)
        writer.field(4, fork.lastChain)
        writer.field(5, insists)
        return Checksum.of(writer.bytes.span.bytes)
    }
}

extension History {
    /// Computes a three-way merge of the fork's changes since its last merge into the present.
    func merge(
        of fork: ForkRecords<App>, into present: CommittedState<App.State>
    ) async throws(StoreError) -> (mark: ForkMark, wanted: App.State, conflicts: [Conflict])? {
        try await query(.long) { (queries) async throws(StoreError) in
            guard fork.epoch != present.epoch else { throw .badFork("It is this log itself, and no fork of it.") }
            try fork.checkWhole()
            let point = try self.sharedPoint(of: fork)
            let chain = try StoreError.reading { () throws(ActionLogError) in try self.log.checksum(of: point) }
            guard chain ?? 0 == fork.chain else {
                throw .badFork("It is the fork of another log: this one has another history up to record \(point).")
            }
            if point < present.sequence, let first = fork.firstChain {
                let next = try StoreError.reading { () throws(ActionLogError) in try self.log.checksum(of: point + 1) }
                guard next != first else {
                    throw .badFork(
                        "This log has record \(point + 1) of it, too: give the records after the last one that both have.")
                }
            }
            let held = fork.standingMerges
            guard held.brought.count <= ForkMark.heldMax else {
                throw .badFork("\(held.brought.count) forks were merged into it; it can bring \(ForkMark.heldMax) at most.")
            }
            try self.checkForeign(held)
            try await self.checkOwn(held, behind: fork.point, through: present.sequence, queries)
            let merges = try await self.merges(of: fork, holding: held, through: present.sequence, queries)
            let reached = merges.last?.mark.through ?? fork.point
            guard reached <= fork.last else {
                throw .badFork("It was merged through record \(reached) before; a merge through \(fork.last) adds nothing.")
            }
            guard let mark = fork.mark(from: reached) else { return nil }
            var past = try await self.past(at: fork.point, queries)
            var states: [UInt64: App.State] = [fork.point: past.state]
            var rest = fork.actions[...]
            for end in Set(merges.map(\.mark.through) + [mark.through]).sorted() {
                while let next = rest.first, next.record.sequence <= end {
                    past.apply(next.action, of: next.record)
                    rest.removeFirst()
                    try await queries.yieldIfNeeded()
                }
                states[end] = past.state
            }
            guard let origin = states[fork.point], let old = states[reached], let new = states[mark.through] else { return nil }
            var stretches: [ForkStretch<App.State>] = []
            for merge in merges {
                guard let end = states[merge.mark.through] else { continue }
                stretches.append(
                    ForkStretch(
                        end: end, before: try await self.past(at: merge.records.lowerBound - 1, queries).state,
                        after: try await self.past(at: merge.records.upperBound, queries).state))
            }
            let from = App.renumbered(old, since: origin, along: stretches)
            stretches.append(ForkStretch(end: new, before: present.state))
            let to = App.renumbered(new, since: origin, along: stretches)
            let taken = App.reverted(present.state, from: from, to: to)
            return (mark, taken.state, Array(taken.conflicts.prefix(HistoryLimits.answersMax)))
        }
    }

    /// Throws `badFork` if records of this log were merged into the fork: they would be merged twice.
    private func checkForeign(_ held: ActiveMerges) throws(StoreError) {
        for (step, mark) in held.all {
            for other in mark.brought {
                let own = try StoreError.reading { () throws(ActionLogError) in try self.log.checksum(of: other.through) }
                guard own != other.chain else {
                    throw .badFork(
                        "Its step \(step) merged records of this log, which would be merged twice: "
                            + "undo its step \(step) there, or make a new fork.")
                }
            }
        }
    }

    /// Throws `badFork` if the fork was created from one that this log was merged into: both share its beginning.
    private func checkOwn(
        _ held: ActiveMerges, behind point: UInt64, through last: UInt64, _ queries: isolated QueryExecutor
    ) async throws(StoreError) {
        let steps = held.all.flatMap { merge in merge.mark.brought.map { ($0.firstChain, merge.step) } }
        guard !steps.isEmpty else { return }
        let stepOf = Dictionary(steps) { first, _ in first }
        var next = point + 1
        while next <= last {
            let chain = try StoreError.reading { () throws(ActionLogError) in try self.log.checksum(of: next) }
            if let step = chain.flatMap({ stepOf[$0] }) {
                throw .badFork(
                    "A fork that was merged into it, in its step \(step), is one that this log was made of: "
                        + "undo its step \(step) there, or make a new fork.")
            }
            next += 1
            if next.isMultiple(of: HistoryLimits.scanRecords) { try await queries.yieldIfNeeded() }
        }
    }

    /// The last record that both logs may share.
    /// - Throws: `badFork` if this log no longer has it, or does not have it yet.
    private func sharedPoint(of fork: ForkRecords<App>) throws(StoreError) -> UInt64 {
        do throws(StoreError) { return try position(.sequence(fork.point)) } catch {
            switch error {
            case .pruned(let base):
                throw .badFork(
                    "It begins at record \(fork.point), and this log was compacted through \(base) since: the common beginning is gone."
                )
            case .futureSequence(let head):
                throw .badFork(
                    "It begins at record \(fork.point), and this log ends at \(head): it is the fork of another log, or this one was put back."
                )
            default: throw error
            }
        }
    }

    private typealias Merge = (records: ClosedRange<UInt64>, mark: ForkMark)

    /// The merges that the next one builds on, oldest first.
    private func merges(
        of fork: ForkRecords<App>, holding held: ActiveMerges, through last: UInt64, _ queries: isolated QueryExecutor
    ) async throws(StoreError) -> [Merge] {
        var (undos, merges) = (UndoStates(), [Merge]())
        var standing = ActiveMerges()
        // The records of the current merge; its effects come after them.
        var records: ClosedRange<UInt64>?
        try await walkBack(from: last, downTo: fork.point, queries) { record, _ in
            record
        } _: { record throws(StoreError) in
            undos.take(record)
            guard record.isMerge else { return true }
            if records?.lowerBound != record.step { records = record.step...record.sequence }
            guard record.sequence == record.step, let records, let mark = try self.record(at: record.sequence).header.merges
            else { return true }
            if undos.undoing(record.step) == nil { standing.take(mark, of: record.step) }
            guard merges.last?.mark.from != fork.point else { return true }
            let isNext = merges.last.map { $0.mark.from == mark.through } ?? (undos.undoing(record.step) == nil)
            guard isNext else { return true }
            if merges.isEmpty { try fork.checkWay(mark) }
            if fork.has(mark) { merges.append((records, mark)) }
            return true
        }
        try fork.checkHeld(held, standing)
        guard merges.isEmpty || merges.last?.mark.from == fork.point else {
            throw .badFork("It is not what it was when it was merged.")
        }
        guard merges.count < HistoryLimits.mergesMax else {
            throw .badFork("It was merged \(merges.count) times, which is as often as a fork can be.")
        }
        return merges.reversed()
    }
}

extension History {
    /// Throws `mergedMeanwhile` if undoing would reactivate a merge whose records were also merged by a later one.
    func checkMergesAgain(_ plan: StepPlan<App>, _ queries: isolated QueryExecutor) async throws(StoreError) {
        let steps = plan.parts.map(\.step)
        let taken = try await undoneMerges(by: steps, through: plan.through, queries)
        guard taken.isAny || taken.pruned != nil else { return }
        var (now, then) = (UndoStates(), UndoStates())
        for step in steps { then.take(step, undoneBy: plan.through + 1) }
        var standing: [(step: UInt64, mark: ForkMark, isAgain: Bool)] = []
        try await walkBack(from: plan.through, downTo: base.sequence, queries) { record, _ in
            record
        } _: { record throws(StoreError) in
            now.take(record)
            then.take(record)
            guard record.isMerge, record.sequence == record.step, then.undoing(record.step) == nil,
                let mark = try self.record(at: record.sequence).header.merges
            else { return true }
            let isAgain = now.undoing(record.step) != nil
            if let other = standing.first(where: { (isAgain || $0.isAgain) && $0.mark.repeats(mark) }) {
                let (again, meanwhile) = isAgain ? (record.step, other.step) : (other.step, record.step)
                throw .mergedMeanwhile(again, in: meanwhile)
            }
            standing.append((record.step, mark, isAgain))
            return true
        }
        // The compacted step may have been a merge of the same records.
        if let pruned = taken.pruned, let other = standing.first(where: { !$0.isAgain }) {
            throw .mergedMeanwhile(pruned, in: other.step, isPruned: true)
        }
    }

    /// Whether steps undid a merge, directly or through undos of undos; also returns an undone step that was compacted away.
    private func undoneMerges(
        by steps: [UInt64], through last: UInt64, _ queries: isolated QueryExecutor
    ) async throws(StoreError) -> (isAny: Bool, pruned: UInt64?) {
        var pruned: UInt64?
        var rest = steps.map { (step: $0, isOwn: true) }
        var seen: Set<UInt64> = []
        while let (step, isOwn) = rest.popLast() {
            guard seen.insert(step).inserted else { continue }
            if step <= base.sequence { pruned = step }
            var undone: Set<UInt64> = []
            var isMerge = false
            if step > base.sequence {
                try await walk(from: step, through: last, queries) { record, _ in
                    guard record.step == step else { return false }
                    isMerge = isMerge || record.isMerge
                    if let step = record.undoes { undone.insert(step) }
                    return true
                }
            }
            if isMerge, !isOwn { return (true, pruned) }
            rest += undone.map { ($0, false) }
        }
        return (false, pruned)
    }
}
