import Chronicle
public import ChronicleLog

extension StagedLog {
    /// Begins an import: no one else may write until it ends.
    mutating func beginImport() throws(StoreError) -> DispatchResult<App.Command> {
        try checkWritable()
        try checkUnlocked()
        isImporting = true
        return nothing
    }

    /// Stages a part of another log's history, or throws and changes nothing.
    mutating func stageImport(_ batch: ImportBatch) throws(StoreError) -> DispatchResult<App.Command> {
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
            // Last, because none of it can be rolled back.
            note(try change(since: before.state, bytesMax: options.stateBytesMax))
            if batch.base != nil { pending.whenBegun = batch.whenBegun }
            forgetBookmarkOwners()
            // Imported records are not checked against invariants, and the next dispatch must not be blamed for them.
            invariants.follow(to: staged.state)
            return DispatchResult(epoch: staged.epoch, sequences: before.sequence + 1..<staged.sequence + 1)
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

    /// Starts an empty log from another log's base, which replaces all records up to its own.
    ///
    /// Locks and invariants are not taken over, as in an import of records.
    mutating func begin(with source: BaseRow, keys: PackedKeys) throws(StoreError) {
        guard staged.sequence == 0 else { throw .stale(current: staged.sequence) }
        let sequence = source.base.sequence
        try check(keys, of: source.base)
        let state: App.State
        do throws(CanonicalError) { state = try App.State(canonical: source.state) } catch {
            throw .damaged(sequence: sequence, what: "the base can't be read by this version: \(error.reason)")
        }
        var row = source
        var standing = CurrentFacts()
        (standing.epoch, standing.heldThrough) = (staged.epoch, sequence)
        standing.bookmarks = source.kept.standing?.bookmarks ?? []
        row.kept.standing = standing
        // The archive belongs to the other log.
        row.base.archive = nil
        try StoreError.reading { () throws(ActionLogError) in try pending.flush.begin(with: row, keys: keys) }
        (staged.state, staged.sequence, staged.time) = (state, sequence, source.base.time)
    }

    private func check(_ keys: PackedKeys, of base: Base) throws(StoreError) {
        var isKnown = false
        try StoreError.reading { () throws(ActionLogError) in
            // An empty log only has keys of dispatches that logged nothing.
            guard try log.storage().keys > 0 else { return }
            try keys.forEachPlace { (place) throws(ActionLogError) in
                if !isKnown { isKnown = try log.key(place.key, of: place.uid) != nil }
            }
        }
        guard !isKnown, keys.last <= base.sequence else {
            throw .damaged(sequence: base.sequence, what: "a key of the dispatches up to it")
        }
    }
}

extension ImportLimits {
    /// The reason why no log can begin with a base at a time, as the rest of a sentence; `nil` if one can.
    public static func objection(to row: BaseRow, at now: Int64) -> String? {
        let (base, kept) = (row.base, row.kept)
        if base.sequence == 0 { return "follows no record" }
        if base.sequence > sequenceMax { return objectionToSequence }
        if let objection = objection(toTime: base.time, at: now) { return objection }
        guard (base.archive ?? "").utf8.count <= archiveBytesMax, (base.archive ?? "").utf8.allSatisfy(isOfArchiveName) else {
            return "names an archive with an invalid name"
        }
        if kept.keys.count > baseKeysMax { return "has more than \(baseKeysMax) keys" }
        if kept.open.count > Limits.openCommandsMax { return "has more than \(Limits.openCommandsMax) open commands" }
        var last: CommandID?
        for command in kept.open {
            guard command == CompactionSummary.kept(command), last.map({ $0 < command.id }) ?? true, command.id.sequence > 0,
                max(command.id.sequence, command.step, command.edited) <= base.sequence, command.depth <= depthMax,
                command.pieces <= Limits.piecesMax
            else { return "has an invalid open command" }
            last = command.id
        }
        var names: Set<ExactText> = []
        for bookmark in kept.standing?.bookmarks ?? [] {
            guard (1...Bookmark.nameBytesMax).contains(bookmark.name.utf8.count), bookmark.sequence <= bookmark.record,
                bookmark.record <= base.sequence, names.insert(ExactText(bookmark.name)).inserted
            else { return "has an invalid bookmark" }
        }
        return names.count <= Limits.bookmarksMax ? nil : "has more than \(Limits.bookmarksMax) bookmarks"
    }

    // Deeper than any command, because commands are parked far above this depth.
    private static let depthMax: UInt32 = 1_000_000
    // Error messages contain the name.
    private static let archiveBytesMax = 64

    private static func isOfArchiveName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."):
            true
        default: false
        }
    }
}

extension StagedLog {
    /// Logs a partial result of a command, which continues.
    mutating func take(
        _ piece: ResultPiece, bringing fact: App.Action?, of command: OpenCommand<App.Command>
    ) throws(StoreError) {
        var row = command.row
        // An earlier attempt has logged this piece.
        guard piece.index >= row.pieces else { return }
        try checkFollowing(piece, row)
        try pending.checkRoom(in: log, freeBytesMin: options.freeBytesMin)
        let before = mark
        do throws(StoreError) {
            let facts = try prepared(fact, piece, of: command)
            let bytes = pending.flush.byteCount
            var header = header(of: command)
            header.kind = .piece
            place(&header, at: options.clock.wall())
            pending.flush.stage(header) { piece.encode(into: &$0) }
            var batch = Batch<App>(first: before.sequence + 1)
            batch.followUpCount = 1
            for fact in facts { stage(fact, self.header(of: command), of: command, into: &batch) }
            try stageFollowUps(of: &batch)
            row.setProgress(piece.index + 1, piece.done, of: piece.total)
            row.pieceBytes += UInt64(pending.flush.byteCount - bytes)
            guard row.pieceBytes <= Limits.pieceBytesMax else { throw Self.tooManyPieces(row.pieces) }
            try checkChanges(from: before.state, bytesMax: options.stateBytesMax)
            // The event may have requested a command that displaced this one.
            if outbox[row.id] != nil { change(OpenCommand(row: row, command: command.command)) }
        } catch {
            rollBack(to: before)
            throw error
        }
    }

    private func checkFollowing(_ piece: ResultPiece, _ row: OutboxRow) throws(StoreError) {
        guard piece.index == row.pieces else {
            let message = "piece \(piece.index) of command \(row.id) arrived before piece \(row.pieces)"
            throw .refused(Refusal("PieceOutOfOrder", message), action: 0)
        }
        guard row.pieces < Limits.piecesMax else { throw Self.tooManyPieces(row.pieces) }
    }

    private static func tooManyPieces(_ count: UInt32) -> StoreError {
        let limits = "at most \(Limits.piecesMax) of \(Limits.pieceBytesMax) bytes in total are accepted before its end"
        return .refused(Refusal("TooManyPieces", "the command has \(count) pieces; \(limits)"), action: 0)
    }

    private func prepared(
        _ fact: App.Action?, _ piece: ResultPiece, of command: OpenCommand<App.Command>
    ) throws(StoreError) -> [App.Action] {
        guard let fact else { return [] }
        let facts: [App.Action]
        do throws(Refusal) { facts = try App.prepare(fact, staged.state, context(of: command)) } catch {
            throw .refused(error, action: 0)
        }
        guard facts.count < Limits.batchRecordsMax else { throw .batchTooLarge }
        return facts
    }
}
