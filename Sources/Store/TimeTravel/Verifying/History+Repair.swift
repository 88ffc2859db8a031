public import Chronicle
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
                    standing.lock.map { "the lock of record \($0.record)" } ?? "the lock, which is in no record: it was removed")
                head.lock = standing.lock
            }
            if head.heldThrough < min(standing.heldThrough, head.sequence) {
                made.append("the hold of commands")
                head.heldThrough = standing.heldThrough
            }
            if head.invariants != standing.invariants {
                made.append("the invariants: \(standing.invariants.count) are set")
                head.invariants = standing.invariants
            }
            let names = { (rows: [OutboxRow]) in Set(rows.map(\.id)) }
            if stored.outbox != rows.outbox {
                let (come, go) = (
                    names(rows.outbox).subtracting(names(stored.outbox)), names(stored.outbox).subtracting(names(rows.outbox))
                )
                made.append("open commands: \(come.count) rebuilt, \(go.count) removed")
            }
            let bookmarks = { (rows: [BookmarkRow]) in rows.sorted { ($0.record, $0.name) < ($1.record, $1.name) } }
            if bookmarks(stored.bookmarks) != standing.bookmarks {
                let changed = standing.bookmarks.filter { !stored.bookmarks.contains($0) }
                let gone = stored.bookmarks.filter { !standing.bookmarks.contains($0) }
                made.append("bookmarks: \(changed.count) rebuilt, \(gone.count) removed")
            }
            if made.isEmpty, stored.illegible > 0 {
                made.append("\(stored.illegible) invalid rows: they were removed or rebuilt")
            }
            if !made.isEmpty { try log.put(rows, head: head) }
            return made
        }
    }

    /// Removes wrong key rows, and adds missing ones.
    private func repairKeys(of log: any RepairableLog) throws(StoreError) -> [String] {
        var failure: StoreError?
        let base = log.base?.sequence ?? 0
        let removed = try StoreError.reading { () throws(ActionLogError) in
            try log.removeKeys { (place, row) throws(ActionLogError) in
                // The records of older keys are gone, and keys without records have none.
                guard row.first > base, failure == nil else { return false }
                guard row.last <= log.head.sequence else { return true }
                do throws(StoreError) { return try self.mismatch(of: row, at: place) != nil } catch { failure = error }
                return false
            }
        }
        if let failure { throw failure }
        let added = try addKeys(to: log, after: base)
        guard removed > 0 || added > 0 else { return [] }
        return ["rows of keys: \(removed) were wrong, \(added) rebuilt"]
    }

    private func addKeys(to log: any RepairableLog, after base: UInt64) throws(StoreError) -> Int {
        var keyed = KeyedRun()
        var (next, epoch, added) = (base + 1, UInt64(0), 0)
        let head = log.head
        while next <= head.sequence {
            var found: [DerivedRows.KeyRun?] = []
            for record in try records(from: next, through: head.sequence) {
                if let change = record.epoch { epoch = change.epoch }
                if !keyed.goesOn(with: record.header) { found.append(keyed.run) }
                keyed.take(record, epoch: epoch)
                next = record.header.sequence + 1
            }
            if next > head.sequence { found.append(keyed.run) }
            try StoreError.reading { () throws(ActionLogError) in
                var missing: [DerivedRows.KeyRun] = []
                // An import that ended within a dispatch may continue; a key row would reject the rest.
                for run in found.compactMap({ $0 }) where run.row.last != head.importedThrough {
                    // A key from before the base has its row, or is lost.
                    if try log.key(run.place.key, of: run.place.uid) == nil { missing.append(run) }
                }
                if !missing.isEmpty { try log.put(missing) }
                added += missing.count
            }
        }
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
        return ["snapshots: \(removed.count) were wrong, and are written again where needed"]
    }
}

extension DerivedRows {
    /// Computes, from its records, the rows of a log after one of them.
    ///
    /// A command that has ended since counts as begun, so that a command that must not be repeated is not.
    /// - Parameters:
    ///   - log: a log without a writer.
    ///   - sequence: a record of it, or the base.
    ///   - stored: the readable rows of open commands and bookmarks; `nil`: those of the log.
    /// - Throws: the errors of reading, and `damaged` for a record that this version can't read.
    public static func of<App: Feature>(
        _ app: App.Type, in log: any ActionLog, through sequence: UInt64,
        beside stored: (outbox: [OutboxRow], bookmarks: [BookmarkRow])? = nil
    ) throws(ActionLogError) -> DerivedRows where App.Action: CanonicalCodable, App.Command: CanonicalCodable {
        // Treat unreadable rows as missing.
        let stored = stored ?? ((try? log.outbox()) ?? [], (try? log.bookmarks()) ?? [])
        var current = CurrentRows<App.Command>(beforeFirstOf: log, log.head, try log.kept(), stored: stored)
        try current.apply(log, from: log.first, through: sequence)
        guard let checksum = try log.checksum(of: sequence) else {
            throw .damaged(sequence: sequence, what: "the record is missing")
        }
        // The record and the next one; neither for the base.
        var headers: [RecordHeader] = []
        if sequence >= log.first {
            _ = try log.read(from: sequence, through: min(sequence + 1, log.head.sequence)) { header, _ in
                headers.append(header)
                return true
            }
        }
        var rows = DerivedRows(sequence: sequence, checksum: checksum, time: headers.first?.time ?? log.base?.time ?? 0)
        rows.standing = current.standing
        // Imported ones are taken from the head, which also contains later ones.
        rows.standing.invariants.removeAll { $0.record > sequence }
        rows.outbox = current.outbox(keeping: stored.outbox)
        if headers.count == 2 { rows.divided = try divided(app, in: log, headers[0], headers[1]) }
        return rows
    }

    /// The key whose dispatch has both records.
    private static func divided<App: Feature>(
        _ app: App.Type, in log: any ActionLog, _ last: RecordHeader, _ next: RecordHeader
    ) throws(ActionLogError) -> KeyRun? where App.Action: CanonicalCodable {
        let sequence = last.sequence
        guard let key = last.key, next.origin == last.origin, next.key?.hasSameBytes(as: key) == true,
            var row = try log.key(key, of: last.origin), row.first <= sequence, row.last > sequence
        else { return nil }
        (row.last, row.time) = (sequence, last.time)
        // The ids that archived records created are unknown.
        guard row.first >= log.first else { return KeyRun(KeyPlace(uid: last.origin, key: key), row) }
        row.ids = []
        try App.Action.read(log, from: row.first, through: sequence) { _, action in
            if let action { row.ids += App.created(by: action) }
            return true
        }
        return KeyRun(KeyPlace(uid: last.origin, key: key), row)
    }
}

extension CurrentRows {
    /// The open commands; a stored row is kept if it has the same call.
    fileprivate func outbox(keeping rows: [OutboxRow]) -> [OutboxRow] {
        let stored = Dictionary(rows.map { ($0.id, $0) }) { _, last in last }
        return outbox.map { derived in
            if var row = stored[derived.id], row.call == derived.call {
                row.isHeld = false
                // Edited back to its original call later.
                row.edited = derived.edited
                // Later pieces are delivered again.
                (row.pieces, row.done, row.total) = (derived.pieces, derived.done, derived.total)
                return row
            }
            var row = derived
            if row.stage == .waiting { (row.stage, row.attempts) = (.started, 1) }
            return row
        }
    }
}
