import Chronicle
import ChronicleLog
import ChronicleStore

extension History {
    /// Compares the outbox with the commands that are open by the records.
    func verifyOutbox(
        _ verification: inout Verification, _ expectedRows: inout ExpectedRows<App>, _ queries: isolated Queries
    ) async throws(StoreError) {
        guard !expectedRows.isBroken else { return }
        let (rows, last): ([OutboxRow], UInt64)
        do throws(ActionLogError) { (rows, last) = try log.openCommands() } catch {
            return try verification.note(error, else: .outbox)
        }
        // A concurrent writer requests and ends commands, but no longer changes what was read.
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

    /// Compares each key row with its records, and counts whether every record with a key has a row.
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
                return try verification.note(error, else: .key)
            }
            for (place, row) in page where row.last <= expectedRows.last {
                verification.keys += 1
                if row.last > 0, row.last <= expectedRows.base { old.add(row, at: place) }
                guard row.first > expectedRows.base else { continue }
                if row.first <= row.last { covered += row.last - row.first + 1 }
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
        guard !expectedRows.isBroken, covered != expectedRows.keyed else { return }
        try await verifyUnnamed(&verification, expectedRows, named: covered, queries)
    }

    /// Finds the records with a key that are missing from its row, and reports those that are damage; an import may cause others.
    private func verifyUnnamed(
        _ verification: inout Verification, _ expectedRows: ExpectedRows<App>, named covered: UInt64, _ queries: isolated Queries
    ) async throws(StoreError) {
        var (next, cutOff, found): (UInt64, UInt64, UInt64?) = (expectedRows.base + 1, 0, nil)
        var (known, row): (KeyPlace?, KeyRow?) = (nil, nil)
        while next <= expectedRows.last {
            var page: [(sequence: UInt64, place: KeyPlace)] = []
            next = try StoreError.reading { () throws(ActionLogError) in
                try log.read(
                    from: next, through: expectedRows.last, recordsMax: HistoryLimits.pageRecordsMax,
                    bytesMax: HistoryLimits.pageBytesMax
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
        guard covered + cutOff != expectedRows.keyed else { return }
        verification.note(
            .key, found ?? 0, "\(expectedRows.keyed) records came with a key, the rows of keys name \(covered) of them")
    }

    /// The contradiction between a row and its records, if any.
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
