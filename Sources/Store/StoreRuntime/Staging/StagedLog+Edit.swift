import Records
import Reducing
import Values

extension StagedLog {
    /// Gives an open command other arguments, which its feature must be able to read; the same as before say nothing.
    mutating func edit(
        _ command: OpenCommand<App.Command>, _ arguments: Value, by uid: UInt32
    ) throws(StoreError) -> Range<UInt64> {
        let id = command.id
        guard command.row.stage != .started else { throw .commandRunning(id) }
        let edited = try self.command(command, with: arguments)
        let edit = CommandEdit(before: command.row.call, after: CommandCall(edited))
        let first = staged.sequence + 1
        guard edit.after != edit.before else { return first..<first }
        guard edit.after.arguments.count <= Limits.argumentsBytesMax else {
            throw .badArguments(id, ValueMismatch("", "they are larger than \(Limits.argumentsBytesMax) bytes"))
        }
        try pending.checkRoom(in: log, freeBytesMin: options.freeBytesMin)
        let sequence = stageMark(.edit, by: uid, about: id) { edit.encode(into: &$0) }
        change(command.edited(to: edit.after, by: sequence, read: Self.command))
        return first..<first + 1
    }

    private func command(
        _ command: OpenCommand<App.Command>, with arguments: Value
    ) throws(StoreError) -> App.Command {
        guard let known = command.command else {
            throw .badArguments(command.id, ValueMismatch("", "this version can't read the command; it can only be skipped"))
        }
        let edited: App.Command
        do throws(ValueMismatch) { edited = try known.with(arguments: arguments) } catch {
            throw .badArguments(command.id, error)
        }
        guard !edited.isPresentational, !edited.policy.isCancellation else {
            throw .badArguments(command.id, ValueMismatch("", "with these arguments it would be no work for the outside world"))
        }
        return edited
    }

    /// Takes over an edit of another log's history.
    mutating func takeEdit(_ record: SealedRecord) throws(StoreError) {
        let sequence = record.header.sequence
        guard let edit = try? CommandEdit(canonical: record.payloadBytes) else {
            throw .damaged(sequence: sequence, what: "its edit can't be read by this version")
        }
        guard let command = record.header.cause.flatMap({ outbox[$0] }), command.row.call == edit.before else {
            throw .damaged(sequence: sequence, what: "it edits a command that is not open like that")
        }
        change(command.edited(to: edit.after, by: sequence, read: Self.command))
    }
}

extension OpenCommand {
    /// As another piece of work, which was never attempted; it keeps its place, its due time, and why it is parked.
    fileprivate func edited(to call: CommandCall, by record: UInt64, read: (OutboxRow) -> Command?) -> OpenCommand {
        var edited = self
        edited.row.call = call
        edited.row.edited = record
        edited.row.attempts = 0
        edited.row.waits = 0
        (edited.row.pieces, edited.row.pieceBytes, edited.row.done, edited.row.total) = (0, 0, 0, 0)
        edited.command = read(edited.row)
        edited.row.cancelID = edited.command?.policy.cancelID ?? ""
        edited.row.group = edited.command?.policy.group ?? ""
        return edited
    }
}
