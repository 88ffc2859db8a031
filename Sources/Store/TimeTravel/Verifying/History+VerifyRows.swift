import Chronicle
import ChronicleLog
import ChronicleStore

extension History {
    /// Compares the outbox with the commands that are open by the records.
    func verifyOutbox(
        _ verification: inout Verification, _ rows: CurrentRows<App.Command>?, _ queries: isolated QueryExecutor
    ) async throws(StoreError) {
        guard var rows else { return }
        let (stored, last): ([OutboxRow], UInt64)
        do throws(ActionLogError) { (stored, last) = try log.openCommands() } catch {
            return try verification.note(error, else: .outbox)
        }
        // A concurrent writer requests and ends commands, but no longer changes what was read.
        var next = verification.head + 1
        while next <= last {
            try StoreError.reading { () throws(ActionLogError) in
                next = try rows.apply(
                    log, from: next, through: last, recordsMax: Limits.pageRecordsMax,
                    bytesMax: Limits.pageBytesMax)
            }
            try await queries.yieldIfNeeded()
        }
        verification.commands = stored.count
        var expected = rows.open
        for row in stored {
            guard let own = expected.removeValue(forKey: row.id) else {
                verification.note(.outbox, row.id.sequence, "the open command \(row.id.index) was not requested, or has ended")
                continue
            }
            if own.call != row.call {
                verification.note(
                    .outbox, row.id.sequence, "the open command \(row.id.index) differs from what its record requested")
            }
            if own.pieces != row.pieces {
                verification.note(
                    .outbox, row.id.sequence,
                    "the open command \(row.id.index) has \(row.pieces) pieces, but \(own.pieces) records of them")
            }
        }
        for id in expected.keys.sorted() {
            verification.note(.outbox, id.sequence, "the command \(id.index) has not ended, but is not in the outbox")
        }
    }

    func verifyBookmarks(_ verification: inout Verification, _ rows: CurrentRows<App.Command>?) throws(StoreError) {
        let last = verification.head
        do throws(ActionLogError) {
            let stored = try log.bookmarks().filter { $0.record <= last }
            verification.bookmarks = stored.count
            guard let rows else { return }
            for row in stored where rows.bookmarks[ExactText(row.name)] != row {
                verification.note(.bookmark, row.record, "the bookmark \(row.name) differs from its record")
            }
            let names = Set(stored.map { ExactText($0.name) })
            for row in rows.standing.bookmarks where !names.contains(ExactText(row.name)) {
                // Moved or removed since, by a later record.
                if let now = try log.bookmark(row.name), now.record > last { continue }
                if try isBookmark(row.name, setAfter: last) { continue }
                verification.note(.bookmark, row.record, "the bookmark \(row.name) has no row")
            }
        } catch {
            try verification.note(error, else: .bookmark)
        }
    }

    /// Whether a later record moves or removes a bookmark.
    private func isBookmark(_ name: String, setAfter sequence: UInt64) throws(ActionLogError) -> Bool {
        var isFound = false
        let head = log.head.sequence
        guard sequence < head else { return false }
        _ = try log.fold(from: sequence + 1, through: head) { record, payload in
            guard record.kind == .bookmark, let later = try? Bookmark(canonical: payload) else { return true }
            isFound = later.name.hasSameBytes(as: name)
            return !isFound
        }
        return isFound
    }

    /// Compares each key row with its records, and counts whether every record with a key has a row.
    /// - Parameter keyed: number of records with a key; `nil`: unknown.
    func verifyKeys(
        _ verification: inout Verification, _ keyed: UInt64?, _ kept: CompactionSummary?, _ queries: isolated QueryExecutor
    ) async throws(StoreError) {
        var place: KeyPlace?
        var covered: UInt64 = 0
        var old = RowTally()
        repeat {
            var page: [(place: KeyPlace, row: KeyRow)] = []
            do throws(ActionLogError) {
                place = try log.keys(after: place, rowsMax: HistoryLimits.keyRowsMax) { page.append(($0, $1)) }
            } catch {
                return try verification.note(error, else: .key)
            }
            for (place, row) in page where row.last <= verification.head {
                verification.keys += 1
                if row.last > 0, row.last <= verification.base { old.add(row, at: place) }
                guard row.first > verification.base else { continue }
                if row.first <= row.last { covered += row.last - row.first + 1 }
                if keyed != nil, let what = try mismatch(of: row, at: place) {
                    verification.note(.key, row.first, "the row of a key of uid \(place.uid) \(what)")
                }
                try await queries.yieldIfNeeded()
            }
            try await queries.yieldIfNeeded()
        } while place != nil
        if let wanted = kept?.keys, old != wanted {
            verification.note(
                .key, 0, "\(wanted.count) rows of keys were kept by the compaction, but there are \(old.count)")
        }
        guard let keyed, covered != keyed else { return }
        try await verifyUnnamed(&verification, keyed, named: covered, queries)
    }

    /// Finds the records with a key that are missing from its row, and reports those that are damage; an import may cause others.
    private func verifyUnnamed(
        _ verification: inout Verification, _ keyed: UInt64, named covered: UInt64, _ queries: isolated QueryExecutor
    ) async throws(StoreError) {
        var (next, cutOff, found): (UInt64, UInt64, UInt64?) = (verification.base + 1, 0, nil)
        var (known, row): (KeyPlace?, KeyRow?) = (nil, nil)
        while next <= verification.head {
            var page: [(sequence: UInt64, place: KeyPlace)] = []
            next = try StoreError.reading { [last = verification.head] () throws(ActionLogError) in
                try log.read(
                    from: next, through: last, recordsMax: Limits.pageRecordsMax,
                    bytesMax: Limits.pageBytesMax
                ) { header, _ in
                    if let key = header.key { page.append((header.sequence, KeyPlace(uid: header.origin, key: key))) }
                    return true
                }
            }
            for (sequence, place) in page {
                if place != known {
                    known = place
                    row = try StoreError.reading { () throws(ActionLogError) in try log.key(place.key, of: place.uid) }
                }
                if let row, row.first <= sequence, sequence <= row.last { continue }
                // Only an import leaves a dispatch without its row; a later use of its key is another dispatch.
                let isCutOff = sequence <= log.head.importedThrough && row.map { $0.first > sequence } ?? true
                if isCutOff { cutOff += 1 } else { found = found ?? sequence }
            }
            try await queries.yieldIfNeeded()
        }
        guard covered + cutOff != keyed else { return }
        verification.note(
            .key, found ?? 0, "\(keyed) records have a key, but the rows of keys name \(covered) of them")
    }

    /// The contradiction between a row and its records, if any.
    func mismatch(of row: KeyRow, at place: KeyPlace) throws(StoreError) -> String? {
        guard row.first <= row.last else { return "names no records" }
        var ids: [UInt64] = []
        var next = row.first
        while next <= row.last {
            let records = try records(from: next, through: row.last)
            guard let last = records.last else { return "names records that do not exist" }
            for record in records {
                let header = record.header
                guard header.origin == place.uid, header.key?.hasSameBytes(as: place.key) == true else {
                    return "names record \(header.sequence), which has another key or uid"
                }
                if let action = record.action { ids += App.created(by: action) }
            }
            next = last.header.sequence + 1
            if next > row.last, last.header.time != row.time { return "has a different time than its last record" }
        }
        return ids.elementsEqual(row.ids) ? nil : "names other ids than its records assigned"
    }
}
