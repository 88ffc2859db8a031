import Chronicle
import ChronicleLog
import ChronicleStore

/// The records of a merge, and the resulting state.
struct ForkMerge<App: Feature>: Sendable {
    var mark: ForkMark
    var present: App.State
    var wanted: App.State
    var conflicts: [Conflict]
}

extension History {
    /// Computes a three-way merge of the fork's changes since its last merge into the present.
    func merge(of fork: ForkRecords<App>, into present: CommittedState<App.State>) async throws(StoreError) -> ForkMerge<App>? {
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
            return ForkMerge(
                mark: mark, present: present.state, wanted: taken.state,
                conflicts: Array(taken.conflicts.prefix(HistoryLimits.answersMax)))
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
        var (undos, merges, end) = (UndoStates(), [Merge](), last)
        var standing = ActiveMerges()
        // The records of the current merge; its effects come after them.
        var records: ClosedRange<UInt64>?
        while end > fork.point {
            let first = max(fork.point + 1, end - min(end - 1, HistoryLimits.scanRecords - 1))
            for record in try await readPage(first...end, queries, { record, _ in record }).reversed() {
                undos.take(record)
                guard record.isMerge else { continue }
                if records?.lowerBound != record.step { records = record.step...record.sequence }
                guard record.sequence == record.step, let records, let mark = try self.record(at: record.sequence).header.merges
                else { continue }
                if undos.undoing(record.step) == nil { standing.take(mark, of: record.step) }
                guard merges.last?.mark.from != fork.point else { continue }
                let isNext = merges.last.map { $0.mark.from == mark.through } ?? (undos.undoing(record.step) == nil)
                guard isNext else { continue }
                if merges.isEmpty { try fork.checkWay(mark) }
                if fork.has(mark) { merges.append((records, mark)) }
            }
            end = first - 1
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
