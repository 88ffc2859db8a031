import Chronicle
public import ChronicleLog
public import ChronicleStore

extension History {
    /// Rebuilds the head, open commands, bookmarks, keys and snapshots if they contradict the records; can be repeated.
    ///
    /// Nothing is changed if a record is damaged or unreadable.
    /// - Parameters:
    ///   - log: the log of this history, opened exclusively.
    ///   - isHeadLost: whether the head row could not be read.
    ///   - progress: called with the current and the last record, once for each pass.
    /// - Returns: the rebuilt data, as lines; empty: nothing was wrong.
    /// - Throws: `damaged` or `undecodable` with the record.
    public func repair(
        _ log: any RepairableLog, isHeadLost: Bool = false, progress: @escaping @Sendable (UInt64, UInt64) -> Void = { _, _ in }
    ) async throws(StoreError) -> [String] {
        let found = try await verify(progress: progress)
        if let record = found.damages.first(where: { $0.kind == .record && $0.sequence > 0 }) {
            throw .damaged(sequence: record.sequence, what: record.what)
        }
        if let record = found.damages.first(where: { $0.kind == .unreadable }) {
            throw .undecodable(sequence: record.sequence, what: record.what)
        }
        guard isHeadLost || !found.damages.isEmpty else { return [] }
        var made = try await query(.long) { (queries) async throws(StoreError) in
            try self.repairRows(of: log, isHeadLost: isHeadLost) + self.repairKeys(of: log)
        }
        made += try await repairSnapshots(found, progress)
        return made
    }

    /// Compares head, open commands and bookmarks with the records, and rewrites them.
    private func repairRows(of log: any RepairableLog, isHeadLost: Bool) throws(StoreError) -> [String] {
        try StoreError.reading { () throws(ActionLogError) in
            let stored = try log.legibleRows()
            let rows = try DerivedRows.of(
                App.self, in: log, through: log.head.sequence, beside: (stored.outbox, stored.bookmarks))
            let standing = rows.standing
            var head = log.head
            var made: [String] = []
            if isHeadLost {
                // The held records are unknown, so hold all.
                head.heldThrough = max(standing.heldThrough, head.sequence)
                if standing.epoch > 0 { head.epoch = standing.epoch }
                made.append("the head row; all open commands are held")
            }
            if head.lock != standing.lock {
                made.append(
                    standing.lock.map { "the lock of record \($0.record)" } ?? "the lock, which no record tells of: it is gone")
                head.lock = standing.lock
            }
            if head.heldThrough < min(standing.heldThrough, head.sequence) {
                made.append("the hold of commands")
                head.heldThrough = standing.heldThrough
            }
            if head.invariants != standing.invariants {
                made.append("the invariants: \(standing.invariants.count) stand")
                head.invariants = standing.invariants
            }
            let names = { (rows: [OutboxRow]) in Set(rows.map(\.id)) }
            let isSame = stored.illegible == 0 && stored.outbox.elementsEqual(rows.outbox)
            if !isSame, stored.outbox != rows.outbox {
                let (come, go) = (
                    names(rows.outbox).subtracting(names(stored.outbox)), names(stored.outbox).subtracting(names(rows.outbox))
                )
                made.append("open commands: \(come.count) made again, \(go.count) taken away")
            }
            let bookmarks = { (rows: [BookmarkRow]) in rows.sorted { ($0.record, $0.name) < ($1.record, $1.name) } }
            if bookmarks(stored.bookmarks) != standing.bookmarks {
                let changed = standing.bookmarks.filter { !stored.bookmarks.contains($0) }
                let gone = stored.bookmarks.filter { !standing.bookmarks.contains($0) }
                made.append("bookmarks: \(changed.count) made again, \(gone.count) taken away")
            }
            if made.isEmpty, stored.illegible > 0 {
                made.append("\(stored.illegible) rows that could not be right: they are gone, or back at the end")
            }
            if !made.isEmpty { try log.put(rows, head: head) }
            return made
        }
    }

    /// Removes wrong key rows, and adds missing ones.
    private func repairKeys(of log: any RepairableLog) throws(StoreError) -> [String] {
        var failure: StoreError?
        let base = log.base?.sequence ?? 0
        let (removed, added) = try StoreError.reading { () throws(ActionLogError) in
            let removed = try log.removeKeys { (place, row) throws(ActionLogError) in
                // The records of older keys are gone, and keys without records have none.
                guard row.first > base, failure == nil else { return false }
                guard row.last <= log.head.sequence else { return true }
                do throws(StoreError) { return try self.mismatch(of: row, at: place) != nil } catch { failure = error }
                return false
            }
            return (removed, try self.addKeys(to: log, after: base))
        }
        if let failure { throw failure }
        guard removed > 0 || added > 0 else { return [] }
        return ["rows of keys: \(removed) were wrong, \(added) made again"]
    }

    private func addKeys(to log: any RepairableLog, after base: UInt64) throws(ActionLogError) -> Int {
        var run: DerivedRows.KeyRun?
        var step: UInt64 = 0
        var missing: [DerivedRows.KeyRun] = []
        var (added, epoch): (Int, UInt64) = (0, 0)
        func finish() throws(ActionLogError) {
            guard let done = run else { return }
            run = nil
            // An import that ended within this dispatch may continue; a key row would reject the rest.
            guard done.row.last != log.head.importedThrough else { return }
            // A key from before the base has its row, or is lost.
            guard try log.key(done.place.key, of: done.place.uid) == nil else { return }
            missing.append(done)
            if missing.count == HistoryLimits.keyRowsMax { try flush() }
        }
        func flush() throws(ActionLogError) {
            guard !missing.isEmpty else { return }
            try log.put(missing)
            added += missing.count
            missing = []
        }
        var next = base + 1
        while next <= log.head.sequence {
            var page: [(RecordHeader, App.Action?, UInt64?)] = []
            next = try log.read(
                from: next, through: log.head.sequence, recordsMax: HistoryLimits.pageRecordsMax,
                bytesMax: HistoryLimits.pageBytesMax
            ) { header, payload in
                let isAction = header.key != nil && header.kind.holdsAction(payloadBytes: payload.byteCount)
                let change = header.kind == .epoch ? try? EpochChange(canonical: payload) : nil
                page.append((header, isAction ? try? App.Action(canonical: payload) : nil, change?.epoch))
                return true
            }
            for (header, action, begun) in page {
                if let begun { epoch = begun }
                let isSame = header.key.map { run?.place == KeyPlace(uid: header.origin, key: $0) } ?? false
                if !isSame || step != header.step { try finish() }
                step = header.step
                guard let key = header.key else { continue }
                if run == nil {
                    run = DerivedRows.KeyRun(
                        KeyPlace(uid: header.origin, key: key),
                        KeyRow(first: header.sequence, last: header.sequence, digest: 0, epoch: epoch))
                }
                run?.row.last = header.sequence
                run?.row.time = header.time
                if let action { run?.row.ids += App.created(by: action) }
            }
        }
        try finish()
        try flush()
        return added
    }

    /// Removes wrong snapshots, and leaves one to start from.
    private func repairSnapshots(
        _ found: Verification, _ progress: @escaping @Sendable (UInt64, UInt64) -> Void
    ) async throws(StoreError) -> [String] {
        var (found, removed): (Verification, Set<UInt64>) = (found, [])
        while true {
            let wrong = Set(found.damages.filter { $0.kind == .snapshot || $0.kind == .digest }.map(\.sequence)).subtracting(
                removed)
            guard !wrong.isEmpty else { break }
            for sequence in wrong { await loader.remove(sequence) }
            removed.formUnion(wrong)
            forget()
            // The list is limited, so repeat until it is not full.
            guard found.damages.count == HistoryLimits.damagesMax else { break }
            found = try await verify(progress: progress)
        }
        guard !removed.isEmpty else { return [] }
        let past = try await state(at: .now)
        do throws(ActionLogError) { try await loader.leaveNewest(past) } catch { throw StoreError(error) }
        _ = try await fillGaps()
        return ["snapshots: \(removed.count) were wrong, and are written again as far as they are needed"]
    }
}
