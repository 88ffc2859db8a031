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
        let head = log.head
        var derivation = Derivation<App>(
            try StandingFacts(beforeFirstOf: log, head: head, bookmarks: stored.bookmarks), open: try log.kept()?.open ?? [],
            importedThrough: head.importedThrough)
        if let base = log.base { derivation.time = base.time }
        var failure: ActionLogError?
        if sequence >= log.first {
            _ = try log.read(from: log.first, through: sequence) { header, payload in
                do throws(ActionLogError) { try derivation.take(header, payload) } catch { failure = error }
                return failure == nil
            }
        }
        if let failure { throw failure }
        guard let checksum = try log.checksum(of: sequence) else {
            throw .damaged(sequence: sequence, what: "the record is missing")
        }
        var rows = DerivedRows(sequence: sequence, checksum: checksum, time: derivation.time)
        rows.standing = derivation.standing
        // Imported ones are taken from the head, which also contains later ones.
        rows.standing.invariants.removeAll { $0.record > sequence }
        rows.outbox = derivation.outbox(with: stored.outbox)
        rows.divided = try divided(app, in: log, at: sequence)
        return rows
    }

    /// The key whose dispatch has records before and after a point.
    private static func divided<App: Feature>(
        _ app: App.Type, in log: any ActionLog, at sequence: UInt64
    ) throws(ActionLogError) -> KeyRun? where App.Action: CanonicalCodable {
        var (last, next): (RecordHeader?, RecordHeader?)
        guard sequence >= log.first, sequence < log.head.sequence else { return nil }
        _ = try log.read(from: sequence, through: sequence + 1) { header, _ in
            if header.sequence == sequence { last = header } else { next = header }
            return true
        }
        guard let last, let key = last.key, let next, next.origin == last.origin, next.key?.hasSameBytes(as: key) == true,
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

/// The rows after each record.
private struct Derivation<App: Feature> where App.Action: CanonicalCodable, App.Command: CanonicalCodable {
    var time: Int64 = 0
    private var facts: StandingFacts
    /// Records up to here may belong to another log.
    private let importedThrough: UInt64
    private var bookmarks: [ExactText: BookmarkRow] = [:]
    private var open: [CommandID: OutboxRow] = [:]
    /// Depths of ended commands that no person requested.
    private var depths: [CommandID: UInt32] = [:]

    /// Begins with the rows before the first record.
    init(_ facts: StandingFacts, open kept: [OutboxRow], importedThrough: UInt64) {
        (self.facts, self.importedThrough) = (facts, importedThrough)
        for row in facts.bookmarks { bookmarks[ExactText(row.name)] = row }
        for row in kept {
            var row = row
            let policy = (try? App.Command(canonical: row.call.arguments))?.policy
            (row.cancelID, row.group) = (policy?.cancelID ?? "", policy?.group ?? "")
            open[row.id] = row
        }
    }

    var standing: StandingFacts {
        var standing = facts
        standing.bookmarks = bookmarks.values.sorted { ($0.record, $0.name) < ($1.record, $1.name) }
        return standing
    }

    mutating func take(_ header: RecordHeader, _ payload: RawSpan) throws(ActionLogError) {
        time = header.time
        do throws(CanonicalError) {
            switch header.kind {
            case .action, .end: try note(header)
            case .bookmark:
                let bookmark = try Bookmark(canonical: payload)
                bookmarks[ExactText(bookmark.name)] =
                    bookmark.isWithdrawn
                    ? nil : BookmarkRow(name: bookmark.name, sequence: bookmark.sequence, record: header.sequence)
            case .epoch:
                let change = try EpochChange(canonical: payload)
                (facts.epoch, facts.heldThrough) = (max(facts.epoch, change.epoch), change.heldThrough)
            case .hold: facts.heldThrough = .max
            case .release: facts.heldThrough = 0
            case .lock:
                var lock = try Lock(canonical: payload)
                (lock.origin, lock.record) = (header.origin, header.sequence)
                // An imported lock is ignored.
                facts.lock = header.sequence > importedThrough ? lock : nil
            case .unlock: facts.lock = nil
            case .invariant:
                // For imported commands, only the head knows whether they belong to this log.
                guard header.sequence > importedThrough else { return }
                let change = try Invariant(canonical: payload)
                facts.invariants.apply(change, of: header.sequence, by: header.origin)
            case .edit: note(try CommandEdit(canonical: payload), by: header)
            case .piece: note(try ResultPiece(canonical: payload), by: header)
            }
        } catch {
            throw .damaged(sequence: header.sequence, what: "what it says can't be read by this version: \(error.reason)")
        }
    }

    private mutating func note(_ header: RecordHeader) throws(CanonicalError) {
        if header.kind == .end, let cause = header.cause, let ended = open.removeValue(forKey: cause), ended.depth > 0 {
            depths[cause] = ended.depth
        }
        guard !header.commands.isEmpty else { return }
        let depth = header.cause.map { (open[$0]?.depth ?? depths[$0] ?? 0) + 1 } ?? 0
        for (index, call) in header.commands.enumerated() where !call.presentational {
            let policy = (try? App.Command(canonical: call.arguments))?.policy
            guard policy?.isCancellation != true else { continue }
            let row = OutboxRow(index, policy, askedBy: header, depth: depth)
            open[row.id] = row
        }
    }

    private mutating func note(_ edit: CommandEdit, by header: RecordHeader) {
        guard let id = header.cause, var row = open[id] else { return }
        let policy = (try? App.Command(canonical: edit.after.arguments))?.policy
        (row.call, row.edited, row.cancelID, row.group) = (
            edit.after, header.sequence, policy?.cancelID ?? "", policy?.group ?? ""
        )
        (row.pieces, row.done, row.total) = (0, 0, 0)
        open[id] = row
    }

    private mutating func note(_ piece: ResultPiece, by header: RecordHeader) {
        guard let id = header.cause, var row = open[id] else { return }
        (row.pieces, row.done, row.total) = (piece.index + 1, piece.done, piece.total)
        open[id] = row
    }

    /// The open commands that still have rows.
    func outbox(with rows: [OutboxRow]) -> [OutboxRow] {
        var stored: [CommandID: OutboxRow] = [:]
        for row in rows { stored[row.id] = row }
        return open.values.sorted { $0.id < $1.id }.map { derived in
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
