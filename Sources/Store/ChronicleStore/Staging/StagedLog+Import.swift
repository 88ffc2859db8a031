import Chronicle
import ChronicleLog

extension StagedLog {
    /// Begins an import: no one else may write until it ends.
    mutating func beginImport() throws(StoreError) -> DispatchResult<App.Command> {
        try checkWritable()
        try checkUnlocked()
        isImporting = true
        return nothing
    }

    /// Stages a part of another log's history, or throws and changes nothing.
    mutating func accept(_ batch: ImportBatch) throws(StoreError) -> DispatchResult<App.Command> {
        guard options.access == .readWrite else { throw .readOnly }
        let before = mark
        do throws(StoreError) {
            try pending.checkRoom(in: log, freeBytesMin: options.freeBytesMin)
            try check(batch, at: options.clock.wall())
            let known = CurrentRows<App.Command>(
                importingAfter: outbox.commands { _ in true }.map(\.row),
                try StoreError.reading { () throws(ActionLogError) in try log.bookmarks() })
            if let base = batch.base { try begin(with: base, keys: batch.baseKeys) }
            var rows = batch.base.map { CurrentRows(importing: $0) } ?? known
            for record in batch.records { try take(record, &rows) }
            stage(rows, insteadOf: known)
            for row in batch.outbox { restoreAttempts(of: row) }
            for key in batch.keys { try take(key, in: batch) }
            hold(through: max(outbox.heldThrough, staged.sequence))
            try noteChanges(from: before.staged.state, bytesMax: options.stateBytesMax)
            // Last, because it can't be rolled back.
            if batch.base != nil { pending.whenBegun = batch.whenBegun }
            bookmarkOwners = nil
            // Imported records are not checked against invariants, and the next dispatch must not be blamed for them.
            invariants.follow(to: staged.state)
            return DispatchResult(epoch: staged.epoch, sequences: before.staged.sequence + 1..<staged.sequence + 1)
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

    private mutating func take(_ record: SealedRecord, _ rows: inout CurrentRows<App.Command>) throws(StoreError) {
        let header = record.header
        guard header.sequence == staged.sequence + 1 else { throw .stale(current: staged.sequence) }
        try StoreError.reading { () throws(ActionLogError) in try pending.flush.append(record) }
        staged.sequence = header.sequence
        staged.time = header.time
        let objection: String?
        do throws(CanonicalError) {
            objection = try rows.apply(header, record.bytes.span.bytes.extracting(record.payload))
        } catch {
            throw StoreError(.unreadable(header))
        }
        if let objection { throw .damaged(sequence: header.sequence, what: "it \(objection)") }
        guard header.kind.holdsAction(payloadBytes: record.payload.count) else { return }
        let action: App.Action
        do throws(CanonicalError) { action = try App.Action(canonical: record.payloadBytes) } catch {
            throw .damaged(sequence: header.sequence, what: "its action can't be read by this version: \(error.reason)")
        }
        _ = App.reduce(&staged.state, action, Context(time: header.time, origin: header.origin))
    }

    /// Stages the differences to the rows before.
    private mutating func stage(_ rows: CurrentRows<App.Command>, insteadOf before: CurrentRows<App.Command>) {
        for row in before.outbox where rows.open[row.id] == nil {
            outbox.close(row.id)
            pending.flush.close(row.id)
        }
        for row in rows.outbox where row != before.open[row.id] {
            outbox.put(OpenCommand(row: row, command: Self.command(of: row)))
            if before.open[row.id] == nil { pending.flush.add(row) } else { pending.flush.change(row) }
        }
        for row in before.standing.bookmarks where rows.bookmarks[ExactText(row.name)] == nil {
            pending.flush.removeBookmark(row.name)
        }
        for row in rows.standing.bookmarks where row != before.bookmarks[ExactText(row.name)] { pending.flush.set(row) }
    }

    // Under another log's id, its target would treat a second attempt as a new command.
    private mutating func restoreAttempts(of source: OutboxRow) {
        guard var command = outbox[source.id], command.row.call == source.call else { return }
        command.row.attempts = source.attempts
        command.row.waits = source.waits
        command.row.pieceBytes = min(source.pieceBytes, Limits.pieceBytesMax)
        command.row.due = source.due
        if source.attempts > 0 || source.stage == .parked {
            command.row.stage = .parked
            command.row.reason =
                source.reason.isEmpty
                ? "It was attempted where its history comes from, and may have been executed." : source.reason
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
