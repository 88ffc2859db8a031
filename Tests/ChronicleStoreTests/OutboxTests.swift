import Chronicle
import ChronicleLog
import Testing

@testable import ChronicleStore

@Suite struct OutboxTests {
    private func command(_ sequence: UInt64) -> OpenCommand<Tally.Command> {
        let row = OutboxRow(id: CommandID(sequence: sequence, index: 0), call: CommandCall(name: "x"), cancelID: "load")
        return OpenCommand(row: row, command: nil)
    }

    @Test func `commands of one kind keep their order when they leave the queue and return`() {
        var outbox = Outbox<Tally.Command>([], heldThrough: 0) { _ in nil }
        for sequence in 1...3 as ClosedRange<UInt64> { outbox.put(command(sequence)) }
        let mark = outbox.mark
        for id in outbox.commands(named: "load") { outbox.close(id) }
        outbox.put(command(4))
        outbox.undo(to: mark)
        #expect(outbox.commands(named: "load").map(\.sequence) == [1, 2, 3])
    }

    // A linear search for each of them would take minutes.
    @Test(.timeLimit(.minutes(15))) func `a full queue of one kind accepts changes in any order`() {
        let last = UInt64(Limits.openCommandsMax)
        var outbox = Outbox<Tally.Command>([], heldThrough: 0) { _ in nil }
        for sequence in 1...last { outbox.put(command(sequence)) }
        let mark = outbox.mark
        for sequence in 1...last { outbox.close(CommandID(sequence: sequence, index: 0)) }
        #expect(outbox.commands(named: "load").isEmpty)
        outbox.undo(to: mark)
        #expect(outbox.commands(named: "load").map(\.sequence) == Array(1...last))
        outbox.undo(to: 0)
        #expect(outbox.commands(named: "load").isEmpty)
    }
}
