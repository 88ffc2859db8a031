import Chronicle
import ChronicleLog
import ChronicleTesting
import DiskLog
import Synchronization
import TestSupport

@testable import ChronicleStore

typealias ErrandStore = Store<Errands>

extension Store<Errands> {
    /// Opens a store over a log as a daemon does.
    static func open(
        _ log: any ActionLog, clock: TestClock = TestClock(), freeBytesMin: Int = 0, commandsPerMinuteMax: Int = 600
    ) throws -> ErrandStore {
        let recovered = try RecoveryResult<Errands>(from: log, initial: Errands.State())
        let wall = StoreClock(wall: { clock.microseconds }, boot: { clock.microseconds })
        return Store(
            recovered, log: log,
            options: StoreOptions(
                build: 1, clock: wall, freeBytesMin: freeBytesMin, commandsPerMinuteMax: commandsPerMinuteMax))
    }

    /// Dispatches errands, one action each, in one batch, and returns the ids of their commands.
    @discardableResult
    nonisolated func run(_ errands: Errand..., origin: UInt32 = 7) async throws -> [CommandID] {
        let answer = try await dispatch(Dispatch(errands.map { .run($0) }, origin: origin))
        return answer.sequences.map { CommandID(sequence: $0, index: 0) }
    }

    /// The error of an order, or `nil`.
    nonisolated func error(of order: CommandOrder<Errands.Action>) async -> StoreError? {
        do {
            try await submit(order)
            return nil
        } catch {
            return error
        }
    }

    /// The error of a dispatch, or `nil`.
    nonisolated func error(of actions: [Errands.Action]) async -> StoreError? {
        do {
            _ = try await dispatch(Dispatch(actions))
            return nil
        } catch {
            return error
        }
    }

    nonisolated func allRecords() async throws -> [LoggedRecord<Errands>] {
        try await records(from: 1, through: present.sequence)
    }

    /// Waits until the state meets a condition.
    nonisolated func reaches(_ condition: (Errands.State) -> Bool) async throws {
        var present = present
        while !condition(present.state) { present = try await nextPresent(after: present.sequence) }
    }

    /// Waits until the open commands meet a condition.
    ///
    /// Their rows may change without a record.
    nonisolated func commandsReach(_ condition: ([OpenCommand<Errand>]) -> Bool) async throws {
        try await becomes { condition(try await commands()) }
    }
}

/// Runs a body with a store, then stops the store.
func withStore(
    _ log: any ActionLog = InMemoryActionLog(), clock: TestClock = TestClock(), freeBytesMin: Int = 0,
    commandsPerMinuteMax: Int = 600, _ body: (ErrandStore) async throws -> Void
) async throws {
    let store = try ErrandStore.open(
        log, clock: clock, freeBytesMin: freeBytesMin, commandsPerMinuteMax: commandsPerMinuteMax)
    do {
        try await body(store)
    } catch {
        await store.stop()
        throw error
    }
    await store.stop()
}

/// Opens a small log on disk.
func openLog(_ directory: String) throws -> LMDBActionLog {
    try LMDBActionLog.open(directory: directory, configuration: LogConfiguration(mapBytes: 1 << 26))
}

/// Provides two temporary directories.
func withDirectories(_ body: (_ directory: String, _ copy: String) async throws -> Void) async throws {
    try await withTemporaryDirectory { directory in
        try await withTemporaryDirectory { copy in try await body(directory, copy) }
    }
}
