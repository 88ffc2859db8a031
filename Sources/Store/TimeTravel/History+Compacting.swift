public import Chronicle
public import ChronicleLog
public import ChronicleStore
import Synchronization

extension History {
    /// The state at a point, folded without snapshots; may be a few records earlier, because batches with a key are never split.
    public func proven(at point: Point) async throws(StoreError) -> PastState<App> {
        try await query(.long) { (queries) async throws(StoreError) in
            let sequence = try self.wholeBatches(through: try self.position(point))
            // Memory may not suffice for two more large states.
            self.cache.withLock { $0.removeLarge() }
            FreeMemory.giveBack()
            var past = try self.pastAtBase()
            try await self.fold(&past, through: sequence, queries)
            return past
        }
    }

    /// The sequence that `proven` would return.
    public func provable(at point: Point) async throws(StoreError) -> UInt64 {
        try await query { (queries) async throws(StoreError) in try self.wholeBatches(through: try self.position(point)) }
    }

    private func wholeBatches(through sequence: UInt64) throws(StoreError) -> UInt64 {
        var sequence = sequence
        while sequence > base.sequence, sequence < log.head.sequence {
            let (here, next) = (try record(at: sequence).header, try record(at: sequence + 1).header)
            guard let key = here.key, here.origin == next.origin, next.key?.utf8.elementsEqual(key.utf8) == true else { break }
            sequence -= 1
        }
        return sequence
    }
}

extension PastState {
    /// The state at the beginning of a log: its base, or before the first record.
    /// - Throws: `damaged` when this version can't read the base.
    public init(beginningOf log: any ActionLog, initial: App.State) throws(StoreError) {
        self = try PastState(baseOf: log) ?? PastState(state: initial)
    }

    init?(baseOf log: any ActionLog) throws(StoreError) {
        let found = try StoreError.reading { () throws(ActionLogError) in try log.baseState(as: App.State.self) }
        guard let (base, state) = found else { return nil }
        self.init(
            sequence: base.sequence, time: base.time, state: state, bytes: UInt64(App.growth(from: nil, to: state)))
        estimateBytes()
    }
}
