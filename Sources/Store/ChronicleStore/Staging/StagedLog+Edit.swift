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
        var command = command
        command.row.edit(to: edit.after, by: sequence, edited.policy)
        command.command = edited
        change(command)
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
            throw .badArguments(
                command.id, ValueMismatch("", "with these arguments the command would do nothing outside the daemon"))
        }
        return edited
    }
}
