import Records
import Reducing
import StoreRuntime
import Values

extension History {
    /// Compares the outbox with the commands that records asked for and none ended.
    func verifyOutbox(
        _ verification: inout Verification, _ expectedRows: inout ExpectedRows<App>, _ queries: isolated Queries
    ) async throws(StoreError) {
        guard !expectedRows.isBroken else { return }
        let (rows, last): ([OutboxRow], UInt64)
        do throws(ActionLogError) { (rows, last) = try log.openCommands() } catch {
            return verification.note(Verification.Damage(error, else: .outbox))
        }
        // Who writes meanwhile asks for commands and ends them, but no longer changes what was read.
        try await catchUp(&expectedRows, through: last, queries)
        verification.commands = rows.count
        var expected = expectedRows.open
        for row in rows {
            guard let call = expected.removeValue(forKey: row.id) else {
                verification.note(.outbox, row.id.sequence, "the open command \(row.id.index) was not asked for, or has ended")
                continue
            }
            if call != row.call {
                verification.note(.outbox, row.id.sequence, "the open command \(row.id.index) is not what its record asked for")
            }
            if let pieces = expectedRows.pieces[row.id] ?? 0, pieces != row.pieces {
                verification.note(
                    .outbox, row.id.sequence,
                    "the open command \(row.id.index) has brought \(row.pieces) pieces, and its records are \(pieces)")
            }
        }
        for id in expected.keys.sorted() {
            verification.note(.outbox, id.sequence, "the command \(id.index) has not ended, and is not in the outbox")
        }
    }

    private func catchUp(
        _ expectedRows: inout ExpectedRows<App>, through end: UInt64, _ queries: isolated Queries
    ) async throws(StoreError) {
        var next = expectedRows.last + 1
        while next <= end {
            let records = try records(from: next, through: end)
            guard let last = records.last else { return }
            for record in records { expectedRows.noteLate(record) }
            next = last.header.sequence + 1
            try await queries.yieldIfNeeded()
        }
        expectedRows.closeEnded()
    }

    /// Compares each row of a key with the records it names, and counts whether every record with a key has its row.
    func verifyKeys(
        _ verification: inout Verification, _ expectedRows: ExpectedRows<App>, _ kept: CompactionSummary?,
        _ queries: isolated Queries
    ) async throws(StoreError) {
        var place: KeyPlace?
        var covered: UInt64 = 0
        var old = RowTally()
        repeat {
            var page: [(place: KeyPlace, row: KeyRow)] = []
            do throws(ActionLogError) {
                place = try log.keys(after: place, rowsMax: HistoryLimits.keyRowsMax) { page.append(($0, $1)) }
            } catch {
                verification.note(Verification.Damage(error, else: .key))
                return
            }
            for (place, row) in page where row.last <= expectedRows.last {
                verification.keys += 1
                if row.last > 0, row.last <= expectedRows.base { old.add(row, at: place) }
                guard row.first > expectedRows.base else { continue }
                covered += row.last - row.first + 1
                if !expectedRows.isBroken, let what = try mismatch(of: row, at: place) {
                    verification.note(.key, row.first, "the row of a key of uid \(place.uid) \(what)")
                }
                try await queries.yieldIfNeeded()
            }
            try await queries.yieldIfNeeded()
        } while place != nil
        if let wanted = kept?.keys, old != wanted {
            verification.note(
                .key, 0, "\(wanted.count) rows of keys were kept when the log was compacted, and \(old.count) are there")
        }
        if !expectedRows.isBroken, covered != expectedRows.keyed,
            try covered + recordsCutOff(after: expectedRows.base) != expectedRows.keyed
        {
            verification.note(
                .key, 0, "\(expectedRows.keyed) records came with a key, the rows of keys name \(covered) of them")
        }
    }

    /// How many records an import ended with, of a dispatch that goes on where they come from: its key has no row here.
    private func recordsCutOff(after base: UInt64) throws(StoreError) -> UInt64 {
        let end = log.head.importedThrough
        guard end > base, end <= log.head.sequence else { return 0 }
        let last = try record(at: end).header
        guard let key = last.key else { return 0 }
        let row = try StoreError.reading { () throws(ActionLogError) in try log.key(key, of: last.origin) }
        // What was done under it here since is another dispatch.
        guard row.map({ $0.first > end }) ?? true else { return 0 }
        var count: UInt64 = 1
        while end - count > base {
            let header = try record(at: end - count).header
            guard header.origin == last.origin, header.key?.hasSameBytes(as: key) == true else { break }
            count += 1
        }
        return count
    }

    /// What a row says that its records don't; `nil` when they agree.
    func mismatch(of row: KeyRow, at place: KeyPlace) throws(StoreError) -> String? {
        guard row.first <= row.last else { return "names no records" }
        var ids: [UInt64] = []
        var next = row.first
        while next <= row.last {
            let records = try records(from: next, through: row.last)
            guard let last = records.last else { return "names records that are not there" }
            for record in records {
                let header = record.header
                guard header.origin == place.uid, header.key?.hasSameBytes(as: place.key) == true else {
                    return "names record \(header.sequence), which came with another"
                }
                if let action = record.action { ids += App.created(by: action) }
            }
            next = last.header.sequence + 1
            if next > row.last, last.header.time != row.time { return "has another time than its last record" }
        }
        return ids.elementsEqual(row.ids) ? nil : "names other ids than its records handed out"
    }
}
