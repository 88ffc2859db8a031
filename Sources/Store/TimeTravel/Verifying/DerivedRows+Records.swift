public import Chronicle
public import ChronicleLog
import ChronicleStore

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
