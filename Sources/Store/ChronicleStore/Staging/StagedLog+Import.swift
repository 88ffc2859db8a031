import Chronicle
import ChronicleLog

extension StagedLog {
    /// Begins an import: no one else may write until it ends.
    mutating func beginImport() throws(StoreError) -> Acknowledgement<App.Command> {
        try checkWritable()
        try checkUnlocked()
        isImporting = true
        return nothing
    }

    /// Stages a part of another log's history, or throws and changes nothing.
    mutating func accept(_ batch: ImportBatch) throws(StoreError) -> Acknowledgement<App.Command> {
        guard options.access == .readWrite else { throw .readOnly }
        let before = mark
        do throws(StoreError) {
            try pending.checkRoom(in: log, freeBytesMin: options.freeBytesMin)
            try check(batch, at: options.clock.wall())
            var imported = Imported(beginning: batch.base?.kept.standing?.bookmarks ?? [])
            if let base = batch.base { try begin(with: base, keys: batch.baseKeys) }
            for record in batch.records { try take(record, &imported) }
            for row in batch.outbox { recall(row) }
            for key in batch.keys { try take(key, in: batch) }
            hold(through: max(outbox.heldThrough, staged.sequence))
            try noteChanges(from: before.staged.state, bytesMax: options.stateBytesMax)
            // Last, because it can't be rolled back.
            if let base = batch.base?.base {
                leadSubscriptions(to: base)
                pending.whenBegun = batch.whenBegun
            }
            bookmarkOwners = nil
            // Imported records are not checked against invariants, and the next dispatch must not be blamed for them.
            judges.follow(to: staged.state)
            return Acknowledgement(epoch: staged.epoch, sequences: before.staged.sequence + 1..<staged.sequence + 1)
        } catch {
            rollBack(to: before)
            throw error
        }
    }

    private func check(_ batch: ImportBatch, at now: Int64) throws(StoreError) {
        if let base = batch.base, let objection = ImportLimits.objection(to: base, at: now) {
            throw .damaged(sequence: base.base.sequence, what: "the base \(objection)")
        }
        for record in batch.records {
            guard let objection = ImportLimits.objection(to: record.header, at: now) else { continue }
            throw .damaged(sequence: record.header.sequence, what: "it \(objection)")
        }
        for row in batch.outbox {
            guard let objection = ImportLimits.objection(to: row, at: now) else { continue }
            throw .damaged(sequence: row.id.sequence, what: "its open command \(row.id.index) \(objection)")
        }
    }

    private mutating func take(_ record: SealedRecord, _ imported: inout Imported) throws(StoreError) {
        let header = record.header
        guard header.sequence == staged.sequence + 1 else { throw .stale(current: staged.sequence) }
        try StoreError.reading { () throws(ActionLogError) in try pending.flush.append(record) }
        staged.sequence = header.sequence
        staged.time = header.time
        switch header.kind {
        case .action, .end: try fold(record, &imported)
        case .bookmark:
            guard let bookmark = try? Bookmark(canonical: record.payloadBytes) else {
                throw .damaged(sequence: header.sequence, what: "its bookmark can't be read by this version")
            }
            if imported.bookmarks == nil {
                imported.bookmarks = try StoreError.reading { () throws(ActionLogError) in try StandingBookmarks(in: log) }
                imported.bookmarks?.take(imported.beginning)
            }
            if let objection = imported.bookmarks?.follow(bookmark, of: header.sequence) {
                throw .damaged(sequence: header.sequence, what: "it \(objection)")
            }
            pending.flush.apply(bookmark, of: header.sequence)
        case .edit: try takeEdit(record)
        case .piece: try takePiece(record)
        case .epoch, .hold, .release, .lock, .unlock, .invariant: break
        }
    }

    private mutating func fold(_ record: SealedRecord, _ imported: inout Imported) throws(StoreError) {
        let header = record.header
        if header.kind == .end, let cause = header.cause, let ended = outbox[cause] {
            imported.depths[cause] = ended.row.depth
            outbox.close(cause)
            pending.flush.close(cause)
        }
        guard header.kind.holdsAction(payloadBytes: record.payload.count) else { return }
        let action: App.Action
        do throws(CanonicalError) { action = try App.Action(canonical: record.payloadBytes) } catch {
            throw .damaged(sequence: header.sequence, what: "its action can't be read by this version: \(error.reason)")
        }
        _ = App.reduce(&staged.state, action, Context(time: header.time, origin: header.origin))
        let depth = header.cause.map { (outbox[$0]?.row.depth ?? imported.depths[$0] ?? 0) + 1 } ?? 0
        // The record holds the requested command; the running code decides how it is run.
        for (index, call) in header.commands.enumerated() where !call.presentational {
            let command = try? App.Command(canonical: call.arguments)
            let policy = command?.policy
            guard policy?.isCancellation != true else { continue }
            let row = OutboxRow(index, policy, askedBy: header, depth: depth)
            outbox.put(OpenCommand(row: row, command: command))
            pending.flush.add(row)
        }
    }

    // Under another log's id, its target would treat a second attempt as a new command.
    private mutating func recall(_ told: OutboxRow) {
        guard var command = outbox[told.id], command.row.call == told.call else { return }
        command.row.attempts = told.attempts
        command.row.waits = told.waits
        command.row.pieceBytes = min(told.pieceBytes, Limits.pieceBytesMax)
        command.row.due = told.due
        if told.attempts > 0 || told.stage == .parked {
            command.row.stage = .parked
            command.row.reason =
                told.reason.isEmpty ? "It was attempted where its history comes from, and may have been done." : told.reason
        }
        change(command)
    }

    private mutating func take(_ key: ImportBatch.Key, in batch: ImportBatch) throws(StoreError) {
        let (place, row) = (key.place, key.row)
        let known = try StoreError.reading { () throws(ActionLogError) in try log.key(place.key, of: place.uid) }
        guard known == nil, row.first <= row.last, row.last - row.first < ImportLimits.keyRecordsMax,
            batch.records.contains(where: { $0.header.sequence == row.last })
        else { throw .damaged(sequence: row.last, what: "the key of its dispatch") }
        try StoreError.reading { () throws(ActionLogError) in try pending.flush.stage(row, key: place.key, of: place.uid) }
    }

    private mutating func hold(through sequence: UInt64) {
        pending.flush.headChange.importedThrough = staged.sequence
        pending.flush.headChange.heldThrough = sequence
        outbox.hold(through: sequence)
    }
}

/// State that is collected from the imported records so far.
private struct Imported {
    /// The bookmarks with which an empty log begins.
    var beginning: [BookmarkRow]
    var depths: [CommandID: UInt32] = [:]
    /// The current bookmarks; `nil` before the first record of a bookmark.
    var bookmarks: StandingBookmarks?
}
