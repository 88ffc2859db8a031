import Chronicle
public import ChronicleLog
public import ChronicleStore

extension History {
    /// Checks records, snapshots, rows and the head against each other and against a fold; ignores records appended during the check.
    /// - Parameters:
    ///   - anchor: an earlier head, which the log must extend.
    ///   - opened: the damage found when the log was opened read-only.
    ///   - progress: called with the current and the last record.
    /// - Throws: faults of the machine, such as `unreadable` and `storageFull`; `queryBusy`; `stopping`; `pruned` if the anchor's record
    ///   was compacted away; `compacted` if the log was compacted during the check. Damage is part of the result, not an error.
    public func verify(
        from anchor: HeadCheckpoint? = nil, opened: ActionLogError? = nil,
        progress: @Sendable (UInt64, UInt64) -> Void = { _, _ in }
    ) async throws(StoreError) -> Verification {
        try await query(.long) { (queries) async throws(StoreError) in
            let base = try self.pastAtBase()
            // Rows and records of different logs can't be compared, and an error is no evidence.
            let isCompacted = { self.log.base?.sequence ?? 0 != base.sequence }
            let verification: Verification
            do throws(StoreError) {
                verification = try await self.verification(after: base, anchor, opened, queries, progress)
            } catch {
                throw isCompacted() ? .compacted : error
            }
            if isCompacted() { throw .compacted }
            return verification
        }
    }

    private func verification(
        after base: PastState<App>, _ anchor: HeadCheckpoint?, _ opened: ActionLogError?, _ queries: isolated QueryExecutor,
        _ progress: (UInt64, UInt64) -> Void
    ) async throws(StoreError) -> Verification {
        var verification = Verification()
        if let opened { verification.note(Verification.Damage(opened, else: .ends)) }
        do throws(ActionLogError) { try log.checkEnds() } catch {
            if opened == nil { try verification.note(error, else: .ends) }
        }
        let head = log.head
        (verification.base, verification.head) = (base.sequence, head.sequence)
        if let anchor {
            guard anchor.sequence >= base.sequence else { throw .pruned(base: base.sequence) }
            if anchor.sequence > head.sequence {
                verification.note(
                    .head, head.sequence, "the log ends before record \(anchor.sequence), the end in the given head")
            }
        }
        var kept: CompactionSummary?
        var rows: CurrentRows<App.Command>?
        do throws(ActionLogError) {
            kept = try log.kept()
            // Unreadable rows are reported when they are compared.
            let stored = ((try? log.outbox()) ?? [], (try? log.bookmarks()) ?? [])
            rows = CurrentRows(beforeFirstOf: log, head, kept, stored: stored)
        } catch {
            try verification.note(error, else: .ends)
        }
        let keyed = try await verifyRecords(from: base, anchor, &verification, &rows, queries, progress)
        try await verifyOutbox(&verification, rows, queries)
        try await verifyKeys(&verification, rows == nil ? nil : keyed, kept, queries)
        try verifyBookmarks(&verification, rows)
        if opened == nil, let rows {
            verify(head, &verification, rows)
        }
        return verification
    }

    /// Folds the records and derives their rows, until one is damaged: then the rows are unknown.
    /// - Returns: the number of records with a key.
    private func verifyRecords(
        from base: PastState<App>, _ anchor: HeadCheckpoint?, _ verification: inout Verification,
        _ rows: inout CurrentRows<App.Command>?, _ queries: isolated QueryExecutor, _ progress: (UInt64, UInt64) -> Void
    ) async throws(StoreError) -> UInt64 {
        let last = verification.head
        let kept = base.sequence < last ? await loader.sequences(in: base.sequence + 1...last) : []
        let stops = Set(kept + [anchor?.sequence ?? last]).filter { $0 < last }
        var (past, keyed): (PastState<App>, UInt64) = (base, 0)
        defer { verification.records = past.sequence - base.sequence }
        for stop in stops.sorted() + [last] {
            while past.sequence < stop {
                do throws(StoreError) {
                    keyed += try verifySlice(&past, through: stop, &rows)
                } catch {
                    guard let damage = Verification.Damage(error) else { throw error }
                    verification.note(damage)
                    rows = nil
                    return keyed
                }
                progress(past.sequence, last)
                try await queries.yieldIfNeeded()
            }
            try await verifySnapshots(at: past, &verification)
            if let anchor, anchor.sequence == past.sequence { try await verify(anchor, at: past, &verification) }
            try await queries.yieldIfNeeded()
        }
        return keyed
    }

    private func verifySlice(
        _ past: inout PastState<App>, through last: UInt64, _ rows: inout CurrentRows<App.Command>?
    ) throws(StoreError) -> UInt64 {
        var keyed: UInt64 = 0
        var records: [HeaderFields] = []
        try foldSlice(&past, through: last) { _, record in
            if record.hasKey { keyed += 1 }
            if record.changesRows { records.append(record) }
            return true
        }
        try StoreError.reading { () throws(ActionLogError) in
            for record in records { try rows?.apply(record, of: log) }
        }
        return keyed
    }

    /// Compares the head row with the records; it may hold more commands after a repair.
    private func verify(_ head: Head, _ verification: inout Verification, _ rows: CurrentRows<App.Command>) {
        let standing = rows.standing
        if head.lock != standing.lock {
            let told = standing.lock.map { "locked by record \($0.record)" } ?? "not locked"
            verification.note(
                .head, head.lock?.record ?? standing.lock?.record ?? 0,
                "the head row says that the log is \(head.lock == nil ? "not locked" : "locked"), but its records that it is \(told)"
            )
        }
        if head.invariants != standing.invariants {
            verification.note(.head, head.sequence, "the invariants in the head row differ from those in the records")
        }
        if head.heldThrough < rows.heldAtLeast {
            verification.note(.head, head.sequence, "the head row holds fewer commands than the records")
        }
    }

    private func verify(
        _ anchor: HeadCheckpoint, at past: PastState<App>, _ verification: inout Verification
    ) async throws(StoreError) {
        let chain = try StoreError.reading { () throws(ActionLogError) in try log.checksum(of: anchor.sequence) }
        guard chain == anchor.chain else {
            return verification.note(.head, anchor.sequence, "the log up to here differs from the given head")
        }
        // Redacted text is not in the state any more.
        guard log.redactions.leave(anchor.sequence, foldedAfter: anchor.redactions) else { return }
        if await loader.digest(of: past.state) != anchor.digest {
            verification.note(
                .fold, anchor.sequence,
                "the records up to here fold to another state than in the given head: other code folded them")
        }
    }

    private func verifySnapshots(at past: PastState<App>, _ verification: inout Verification) async throws(StoreError) {
        let found = await loader.evidence(at: past.sequence)
        guard !found.isEmpty else { return }
        let digest = await loader.digest(of: past.state)
        for evidence in found {
            verification.snapshots += 1
            if evidence.digest == nil {
                verification.note(.snapshot, past.sequence, "the snapshot is damaged, or belongs to another log")
            } else if evidence.digest != digest {
                if !evidence.isOurs, await loader.holds(digest, inOlderFormAt: past.sequence) { continue }
                verification.note(
                    evidence.isOurs ? .digest : .fold, past.sequence,
                    evidence.isOurs
                        ? "the snapshot's state differs from what the records fold to"
                        : "this build folds the records up to here to another state than the build that wrote the snapshot: "
                            + "keep that build, or export the data with it before you update")
            }
        }
    }
}

extension History {
    /// A record, by default the last one, with a digest of its state; takes time in proportion to the size of the state.
    /// - Throws: `queryBusy`, `stopping`, and `compacted` after a concurrent compaction.
    public func anchoredHead() async throws(StoreError) -> HeadCheckpoint {
        try await query(.long) { (queries) async throws(StoreError) in
            let past = try await self.past(at: self.head, queries)
            let chain = try StoreError.reading { () throws(ActionLogError) in try self.log.checksum(of: past.sequence) }
            guard let chain else { throw .compacted }
            return HeadCheckpoint(
                sequence: past.sequence, chain: chain, digest: await self.loader.digest(of: past.state),
                redactions: past.redactions)
        }
    }
}
