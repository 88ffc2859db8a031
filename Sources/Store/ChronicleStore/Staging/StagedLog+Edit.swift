import Chronicle
import ChronicleLog

extension StagedLog {
    /// Replaces the arguments of an open command, which its feature must be able to read; equal arguments log nothing.
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

    private func command(_ command: OpenCommand<App.Command>, with arguments: Value) throws(StoreError) -> App.Command {
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
    /// The command with a new id and no attempts; keeps its position, its due time and the reason for which it is parked.
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
