import ChronicleLog
import Synchronization
import Testing

@testable import ChronicleStore

@Suite struct RecordTimeTests {
    private static let hour: Int64 = 3_600_000_000
    private static let noon: Int64 = 1_800_000_000_000_000
    private static let jumped = noon + 10 * 365 * 24 * hour

    @Test(
        arguments: [
            ("runs", [noon, noon + 5], [noon, noon + 5], [nil, nil]),
            ("is frozen", [noon, noon, noon], [noon, noon + 1, noon + 2], [nil, noon, noon]),
            ("is set back", [noon, noon - hour], [noon, noon + 1], [nil, noon - hour]),
            ("jumps ahead", [noon, jumped, noon + hour], [noon, jumped, jumped + 1], [nil, nil, noon + hour]),
        ] as [(String, [Int64], [Int64], [Int64?])])
    func `a record has the time of the clock or at least the time after the last record`(
        clock: String, readings: [Int64], times: [Int64], rawTimes: [Int64?]
    ) async throws {
        let wall = Mutex<Int64>(0)
        let log = InMemoryActionLog()
        let store = try Store.open(log, clock: StoreClock(wall: { wall.withLock { $0 } }, boot: { 0 }))
        for reading in readings {
            wall.withLock { $0 = reading }
            _ = try await store.dispatch(Dispatch([.add(1)], origin: 1))
        }
        await store.stop()
        var headers: [RecordHeader] = []
        _ = try log.read(from: 1, through: .max) { header, _ in
            headers.append(header)
            return true
        }
        #expect(headers.map(\.time) == times && headers.map(\.rawTime) == rawTimes, "a clock that \(clock)")
    }
}
