import Chronicle
import ChronicleLog

extension StagedLog {
    /// Logs a partial result of a command, which continues.
    mutating func take(
        _ piece: ResultPiece, bringing fact: App.Action?, of command: OpenCommand<App.Command>
    ) throws(StoreError) -> Range<UInt64> {
        let first = staged.sequence + 1
        var row = command.row
        // An earlier attempt has logged this piece.
        guard piece.index >= row.pieces else { return first..<first }
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
            var batch = Batch<App>(first: first)
            batch.followUpCount = 1
            for fact in facts { stage(fact, self.header(of: command), of: command, into: &batch) }
            try stageFollowUps(of: &batch)
            row.setProgress(piece.index + 1, piece.done, of: piece.total)
            row.pieceBytes += UInt64(pending.flush.byteCount - bytes)
            guard row.pieceBytes <= Limits.pieceBytesMax else { throw Self.tooManyPieces(row.pieces) }
            try checkChanges(from: before.staged.state, bytesMax: options.stateBytesMax)
            // The event may have requested a command that displaced this one.
            if outbox[row.id] != nil { change(OpenCommand(row: row, command: command.command)) }
            return first..<staged.sequence + 1
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
