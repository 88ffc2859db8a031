import Chronicle
import ChronicleLog
import ChronicleStore
import FeatureApp
import FeatureCounter
import Synchronization
import Testing
import TimeTravel

@Suite struct ClockTests {
    /// A clock that a test sets.
    private final class Dial: Sendable {
        let microseconds: Mutex<Int64>
        init(_ start: Int64) { microseconds = Mutex(start) }
        var clock: StoreClock {
            StoreClock(wall: { [self] in microseconds.withLock { $0 } }, boot: { [self] in microseconds.withLock { $0 } })
        }
    }

    private static let hour: Int64 = 3_600_000_000

    @Test(arguments: [-hour, 0, 10 * 365 * 24 * hour])
    func `times increase and each names one moment, whatever the clock does`(jump: Int64) async throws {
        let log = InMemoryActionLog()
        let dial = Dial(1_795_251_600_000_000)
        let store = Store<App>(
            try RecoveryResult(from: log, initial: App.State()), log: log, options: StoreOptions(clock: dial.clock))
        let history = History(
            log, snapshots: nil, fingerprint: "code", base: PastState<App>(state: App.State()), queries: store.queries,
            clock: dial.clock, present: { store.present })
        func count(_ times: Int, stepping: Int64) async throws {
            for _ in 0..<times {
                _ = try await store.dispatch(Dispatch([.counter(.increment)], origin: 1000))
                dial.microseconds.withLock { $0 += stepping }
            }
        }
        try await count(20, stepping: 1_000_000)
        let before = dial.microseconds.withLock { $0 }
        dial.microseconds.withLock { $0 += jump }
        // A clock that is frozen for a while, then continues, then is corrected.
        try await count(20, stepping: 0)
        try await count(20, stepping: 1_000_000)
        dial.microseconds.withLock { $0 = before + 60_000_000 }
        try await count(20, stepping: 1_000_000)

        var times: [Int64] = []
        _ = try log.read(from: 1, through: log.head.sequence) { header, _ in
            times.append(header.time)
            return true
        }
        #expect(times.count == 80)
        #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
        for (index, time) in times.enumerated() {
            let sequence = UInt64(index + 1)
            #expect(try await history.resolve(.time(time)) == sequence)
            #expect(try await history.resolve(.time(time - 1)) == sequence - 1)
            #expect(try await history.state(at: .time(time)).state.counter.count == Int64(sequence))
        }
        await store.stop()
    }
}
