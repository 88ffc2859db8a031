import Records
import Reducing
import Testing

@testable import StoreRuntime

@Suite struct OutboxTests {
    private func command(_ sequence: UInt64) -> OpenCommand<Tally.Command> {
        let row = OutboxRow(id: CommandID(sequence: sequence, index: 0), call: CommandCall(name: "x"), cancelID: "load")
        return OpenCommand(row: row, command: nil)
    }

    @Test func `commands of one name keep their order, also when they come back`() {
        var outbox = Outbox<Tally.Command>([], heldThrough: 0) { _ in nil }
        for sequence in 1...3 as ClosedRange<UInt64> { outbox.put(command(sequence)) }
        let mark = outbox.mark
        for id in outbox.commands(named: "load") { outbox.close(id) }
        outbox.put(command(4))
        outbox.undo(to: mark)
        #expect(outbox.commands(named: "load").map(\.sequence) == [1, 2, 3])
    }
}
