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
        from anchor: AnchoredHead? = nil, opened: ActionLogError? = nil,
        progress: @Sendable (UInt64, UInt64) -> Void = { _, _ in }
    ) async throws(StoreError) -> Verification {
        try await query(.long) { (queries) async throws(StoreError) in
            let base = try self.pastAtBase()
            let verification: Result<Verification, StoreError>
            do throws(StoreError) {
                verification = .success(try await self.verification(after: base, anchor, opened, queries, progress))
            } catch {
                verification = .failure(error)
            }
            // Rows and records of different logs can't be compared, and an error is no evidence.
            guard self.log.base?.sequence ?? 0 == base.sequence else { throw .compacted }
            return try verification.get()
        }
    }

    private func verification(
        after base: PastState<App>, _ anchor: AnchoredHead?, _ opened: ActionLogError?, _ queries: isolated Queries,
        _ progress: (UInt64, UInt64) -> Void
    ) async throws(StoreError) -> Verification {
        var verification = Verification()
        if let opened { verification.note(Verification.Damage(opened, else: .ends)) }
        do throws(ActionLogError) { try log.checkEnds() } catch {
            if opened == nil { try verification.note(error, else: .ends) }
        }
        let head = log.head
        var kept: CompactionSummary?
        var standing = StandingFacts()
        do throws(ActionLogError) {
            kept = try log.kept()
            // Unreadable rows are reported when they are compared.
            standing = try StandingFacts(beforeFirstOf: log, head: head, bookmarks: (try? log.bookmarks()) ?? [])
        } catch {
            try verification.note(error, else: .ends)
        }
        var expectedRows = ExpectedRows<App>(
            after: base.sequence, through: head.sequence, standing, kept)
        (verification.base, verification.head) = (expectedRows.base, expectedRows.last)
        if let anchor {
            guard anchor.sequence >= expectedRows.base else { throw .pruned(base: expectedRows.base) }
            if anchor.sequence > expectedRows.last {
                verification.note(
                    .head, expectedRows.last, "the log ends before record \(anchor.sequence), with which it ended then")
            }
        }
        try await verifyRecords(from: base, anchor, &verification, &expectedRows, queries, progress)
        try await verifyOutbox(&verification, &expectedRows, queries)
        try await verifyKeys(&verification, expectedRows, kept, queries)
        try verifyBookmarks(&verification, expectedRows)
        if opened == nil {
            verifyLock(of: head, &verification, expectedRows)
            verifyInvariants(of: head, &verification, expectedRows)
            verifyHold(of: head, &verification, expectedRows)
        }
        try verifySubscriptions(&verification)
        return verification
    }

    private func verifyRecords(
        from base: PastState<App>, _ anchor: AnchoredHead?, _ verification: inout Verification,
        _ expectedRows: inout ExpectedRows<App>,
        _ queries: isolated Queries,
        _ progress: (UInt64, UInt64) -> Void
    ) async throws(StoreError) {
        let kept = base.sequence < expectedRows.last ? await loader.sequences(in: base.sequence + 1...expectedRows.last) : []
        let stops = Set(kept + [anchor?.sequence ?? expectedRows.last]).filter { $0 < expectedRows.last }
        var past = base
        for stop in stops.sorted() + [expectedRows.last] {
            while past.sequence < stop {
                do throws(StoreError) {
                    try expectedSlice(&past, through: stop, &expectedRows)
                } catch {
                    switch error {
                    case .damaged(let sequence, let what): verification.note(.record, sequence, what)
                    case .undecodable(let sequence, let what): verification.note(.unreadable, sequence, what)
                    default: throw error
                    }
                    expectedRows.isBroken = true
                    verification.records = past.sequence - base.sequence
                    return
                }
                progress(past.sequence, expectedRows.last)
                try await queries.yieldIfNeeded()
            }
            try await verifySnapshots(at: past, &verification)
            if let anchor, anchor.sequence == past.sequence { try await verify(anchor, at: past, &verification) }
            try await queries.yieldIfNeeded()
        }
        verification.records = past.sequence - base.sequence
    }

    private func expectedSlice(
        _ past: inout PastState<App>, through last: UInt64, _ expectedRows: inout ExpectedRows<App>
    ) throws(StoreError) {
        var details: [UInt64] = []
        var notes: [HeaderFields] = []
        try foldSlice(&past, through: last) { _, record in
            expectedRows.note(record)
            if record.commandCount > 0 || record.kind == .edit { details.append(record.sequence) }
            if [.bookmark, .lock, .unlock, .invariant, .epoch, .hold, .release].contains(record.kind) { notes.append(record) }
            return true
        }
        for sequence in details { expectedRows.note(try record(at: sequence)) }
        for record in notes {
            switch record.kind {
            case .bookmark: try noteBookmark(record.sequence, &expectedRows)
            case .lock: try noteLock(record, &expectedRows)
            case .invariant: try noteInvariant(record, &expectedRows)
            case .epoch: try noteEpoch(record.sequence, &expectedRows)
            case .hold: expectedRows.heldThrough = record.sequence
            case .release: expectedRows.heldThrough = 0
            default: expectedRows.lock = nil
            }
        }
        expectedRows.closeEnded()
    }

    /// The content of a record without an action.
    private func content<Content: CanonicalCodable>(of sequence: UInt64, _ noun: String) throws(StoreError) -> Content {
        var content: Content?
        try StoreError.reading { () throws(ActionLogError) in
            _ = try log.read(from: sequence, through: sequence) { _, payload in
                content = try? Content(canonical: payload)
                return true
            }
        }
        guard let content else { throw .damaged(sequence: sequence, what: "its \(noun) can't be read by this version") }
        return content
    }

    private func noteBookmark(_ sequence: UInt64, _ expectedRows: inout ExpectedRows<App>) throws(StoreError) {
        let bookmark: Bookmark = try content(of: sequence, "bookmark")
        expectedRows.bookmarks[ExactText(bookmark.name)] =
            bookmark.isWithdrawn ? nil : BookmarkRow(name: bookmark.name, sequence: bookmark.sequence, record: sequence)
    }

    private func noteLock(_ record: HeaderFields, _ expectedRows: inout ExpectedRows<App>) throws(StoreError) {
        var lock: Lock = try content(of: record.sequence, "lock")
        (lock.origin, lock.record) = (record.origin, record.sequence)
        // An imported lock belongs to another log.
        expectedRows.lock = record.sequence <= log.head.importedThrough ? nil : lock
    }

    private func noteInvariant(_ record: HeaderFields, _ expectedRows: inout ExpectedRows<App>) throws(StoreError) {
        guard let change = try self.record(at: record.sequence).invariant, record.sequence > log.head.importedThrough else {
            return
        }
        expectedRows.invariants.apply(change, of: record.sequence, by: record.origin)
    }

    private func noteEpoch(_ sequence: UInt64, _ expectedRows: inout ExpectedRows<App>) throws(StoreError) {
        let change: EpochChange = try content(of: sequence, "epoch")
        expectedRows.heldThrough = min(change.heldThrough, sequence)
    }

    /// Compares the held records of the head row with the records; it may hold more after a repair.
    private func verifyHold(of head: Head, _ verification: inout Verification, _ expectedRows: ExpectedRows<App>) {
        guard !expectedRows.isBroken, head.sequence == expectedRows.last, head.heldThrough < expectedRows.heldThrough else {
            return
        }
        verification.note(.head, head.sequence, "the head row holds fewer commands than the records tell of")
    }

    private func verifyInvariants(of head: Head, _ verification: inout Verification, _ expectedRows: ExpectedRows<App>) {
        guard !expectedRows.isBroken, head.sequence == expectedRows.last else { return }
        guard head.invariants != expectedRows.invariants else { return }
        verification.note(.head, head.sequence, "the invariants in the head row are not those that the records tell of")
    }

    private func verifyLock(of head: Head, _ verification: inout Verification, _ expectedRows: ExpectedRows<App>) {
        guard !expectedRows.isBroken, head.sequence == expectedRows.last, head.lock != expectedRows.lock else { return }
        let told = expectedRows.lock.map { "locked by record \($0.record)" } ?? "not locked"
        verification.note(
            .head, head.lock?.record ?? expectedRows.lock?.record ?? 0,
            "the head row says that the log is \(head.lock == nil ? "not locked" : "locked"), its records that it is \(told)")
    }

    private func verify(
        _ anchor: AnchoredHead, at past: PastState<App>, _ verification: inout Verification
    ) async throws(StoreError) {
        let chain = try StoreError.reading { () throws(ActionLogError) in try log.checksum(of: anchor.sequence) }
        guard chain == anchor.chain else {
            return verification.note(.head, anchor.sequence, "up to here the log is not what it was then")
        }
        // Redacted text is not in the state any more.
        guard log.redactions.leave(anchor.sequence, foldedAfter: anchor.redactions) else { return }
        if await loader.digest(of: past.state) != anchor.digest {
            verification.note(.fold, anchor.sequence, "the records up to here led to another state then: other code folded them")
        }
    }

    private func verifySnapshots(at past: PastState<App>, _ verification: inout Verification) async throws(StoreError) {
        let found = await loader.evidence(at: past.sequence)
        guard !found.isEmpty else { return }
        let digest = await loader.digest(of: past.state)
        for evidence in found {
            verification.snapshots += 1
            if evidence.digest == nil {
                verification.note(.snapshot, past.sequence, "the snapshot is not what was written, or of another log")
            } else if evidence.digest != digest {
                if !evidence.isOurs, await loader.holds(digest, inOlderFormAt: past.sequence) { continue }
                verification.note(
                    evidence.isOurs ? .digest : .fold, past.sequence,
                    evidence.isOurs
                        ? "the snapshot's state is not what the records fold to"
                        : "this build folds the records up to here to another state than the build that wrote the snapshot: "
                            + "keep that build, or export the data with it before you update")
            }
        }
    }

    private func verifyBookmarks(_ verification: inout Verification, _ expectedRows: ExpectedRows<App>) throws(StoreError) {
        do throws(ActionLogError) {
            var expected = expectedRows.bookmarks
            for row in try log.bookmarks() where row.record <= expectedRows.last {
                verification.bookmarks += 1
                if expected.removeValue(forKey: ExactText(row.name)) != row, !expectedRows.isBroken {
                    verification.note(.bookmark, row.record, "the bookmark \(row.name) is not where its record puts it")
                }
            }
            for row in expected.values.sorted(by: { $0.record < $1.record }) {
                // Moved or removed since, by a later record.
                if let now = try log.bookmark(row.name), now.record > expectedRows.last { continue }
                if try names(row.name, after: expectedRows.last) { continue }
                verification.note(.bookmark, row.record, "the bookmark \(row.name) has no row")
            }
        } catch {
            try verification.note(error, else: .bookmark)
        }
    }

    /// Whether a later record moves or removes a bookmark.
    private func names(_ bookmark: String, after sequence: UInt64) throws(ActionLogError) -> Bool {
        var isNamed = false
        let head = log.head.sequence
        guard sequence < head else { return false }
        _ = try log.fold(from: sequence + 1, through: head) { record, payload in
            guard record.kind == .bookmark, let later = try? Bookmark(canonical: payload) else { return true }
            isNamed = later.name.hasSameBytes(as: bookmark)
            return !isNamed
        }
        return isNamed
    }
}
