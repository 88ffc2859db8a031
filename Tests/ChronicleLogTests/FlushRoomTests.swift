import ChronicleValues
import Testing

@testable import ChronicleLog

@Suite struct FlushRoomTests {
    @Test func `the memory of one huge batch is freed after its flush, that of usual batches is kept`() throws {
        var flush = Flush(after: Head(epoch: 1, storeID: ""))
        for _ in 0..<100 { flush.stage(.action(after: flush), payload: [UInt8](repeating: 7, count: 1 << 10)) }
        flush.restart(after: Head(epoch: 1, storeID: ""))
        #expect(flush.records.bytes.capacity >= 100 << 10)
        for _ in 0..<32 { flush.stage(.action(after: flush), payload: [UInt8](repeating: 7, count: 8 << 20)) }
        #expect(flush.byteCount > 256 << 20)
        flush.restart(after: Head(epoch: 1, storeID: ""))
        #expect(flush.records.bytes.capacity <= Flush.roomBytesMax && flush.byteCount == 0)
        for _ in 0...Flush.roomEntriesMax { flush.stage(.action(after: flush), payload: []) }
        flush.restart(after: Head(epoch: 1, storeID: ""))
        #expect(flush.recordEnds.capacity <= Flush.roomEntriesMax)
    }
}
