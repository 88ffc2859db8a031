import Chronicle
import ChronicleLog
import ChronicleStore
import FeatureApp
import FeatureTodos
import Synchronization
import Testing
import TimeTravel

/// A machine's copy of a log that another machine also appends to.
private final class SharedLog: SharedActionLog, ForwardingLog {
    /// The flushes of all machines, in order.
    final class Order: Sendable {
        let flushes = Mutex<[Flush]>([])
    }

    let deadlineFromNow: UInt64 = .max
    let flushBytesMax = 1 << 20
    let isLeading = true
    let wrapped: any ActionLog = InMemoryActionLog(epoch: 1, storeID: "shared")
    private let order: Order
    private let known = Mutex(0)

    init(_ order: Order) { self.order = order }

    func append(_ flush: Flush, until deadline: UInt64) throws(ActionLogError) {
        let known = known.withLock { $0 }
        guard order.flushes.withLock({ $0.count }) == known else { throw .othersFirst }
        try wrapped.append(flush)
        order.flushes.withLock { $0.append(flush) }
        self.known.withLock { $0 += 1 }
    }

    func follow(until deadline: UInt64) throws(ActionLogError) -> ReplicationEvent? {
        let known = known.withLock { $0 }
        guard let flush = order.flushes.withLock({ $0.dropFirst(known).first }) else { return nil }
        try wrapped.append(flush)
        self.known.withLock { $0 += 1 }
        return .appended(flush)
    }

    func readIndex(until deadline: UInt64) throws(ActionLogError) {
        let known = known.withLock { $0 }
        guard order.flushes.withLock({ $0.count }) == known else { throw .othersFirst }
    }

    func redact(_ payloads: [(sequence: UInt64, payload: [UInt8])]) throws(ActionLogError) { try wrapped.redact(payloads) }

    func isInDoubt(_ key: String, of uid: UInt32) -> Bool { false }

    func waitForReaders() {}
}

@Suite(.timeLimit(.minutes(15))) struct SharedUndoTests {
    /// Opens two machines with a todo that the first one has added.
    private func withTwo(_ body: (Desk, Desk) async throws -> Void) async throws {
        let order = SharedLog.Order()
        try await Desk.open(SharedLog(order)) { one in
            try await Desk.open(SharedLog(order)) { other in
                try await one.do(.todos(.add([Todo(title: "Milk")])))
                try await other.store.catchUp()
                try await body(one, other)
            }
        }
    }

    @Test func `an undo on one machine outdates an undo of the same step on another`() async throws {
        try await withTwo { one, other in
            let undone = try await other.undo(.steps([1]))
            let outdated = UndoBatch<App>(origin: 1000, cancelling: .steps([1], expecting: []), through: 1) {
                _, _ throws(StoreError) in [.init(undoes: 1, actions: [.todos(.remove(1))])]
            }
            await #expect(throws: StoreError.outdated) { try await one.store.compensate(outdated) }
            #expect(one.head == other.head && one.state == other.state)
            #expect(await one.error(.steps([1])) == .alreadyUndone(1, by: undone.step))
        }
    }

    @Test func `an undo is computed again after a change on another machine`() async throws {
        try await withTwo { one, other in
            try await other.undo(.steps([1]))
            #expect(await one.error(.steps([1])) == .alreadyUndone(1, by: 2))
        }
        try await withTwo { one, other in
            try await other.do(.todos(.add([Todo(title: "Bread")])))
            try await one.undo(.steps([1]))
            try await other.store.catchUp()
            #expect(one.state == other.state && one.state.todos.items.elements.map(\.title) == ["Bread"])
        }
    }
}
