public import Chronicle
public import ChronicleLog
public import ChronicleStore
import Synchronization

/// All past states of a log, read-only: nothing here changes the present or appends to the log.
///
/// All work runs on the query thread, in slices, fair between callers, and ends when the caller's task is cancelled. A state is folded
/// from the nearest cached state or snapshot on disk.
public final class History<App: Feature>: Sendable
where App.State: CanonicalCodable, App.Action: CanonicalCodable, App.Command: CanonicalCodable {
    /// The position before the first readable record: the start, or the base of a compacted log.
    public var base: (sequence: UInt64, time: Int64) { beginning.withLock { ($0.sequence, $0.time) } }
    public let queries: QueryThread
    let log: any ActionLog
    let loader: SnapshotLoader<App>
    let cache = Mutex(HistoryCache<App>())
    let counting = Mutex(Work())
    let noting = Mutex<Noted<App>?>(nil)
    /// Whether all earlier index runs are known to exist.
    let isIndexed = Mutex(false)
    let places: PathIndexMap<App>
    /// Folds one slice; a closure, because a method called from generic code would run unspecialized.
    let foldOn: @Sendable (any ActionLog, inout PastState<App>, UInt64) throws(StoreError) -> UInt64
    /// Held by the undo that is being computed and committed.
    let undos = FairMutex()
    /// Yields when snapshots of past states may be missing: they were deleted, or the log has grown.
    public let gaps: AsyncStream<Void>
    let gap: AsyncStream<Void>.Continuation
    private let beginning: Mutex<Beginning>
    private let clock: StoreClock
    private let present: @Sendable () -> CommittedState<App.State>?

    /// Creates a history.
    /// - Parameters:
    ///   - snapshots: the snapshot directory; `nil`: the log is folded from its beginning every time.
    ///   - fingerprint: identifies the running code; snapshots of other code are not used.
    ///   - queries: the query thread of the store, or a separate one if there is no store.
    ///   - freeBytesMin: the disk space to leave free for the log.
    ///   - present: the state after the last flush, if available.
    public init(
        _ log: any ActionLog, snapshots: SnapshotStore?, fingerprint: String, base: PastState<App>,
        queries: QueryThread = .init(),
        clock: StoreClock = .system, freeBytesMin: Int = 0,
        present: @escaping @Sendable () -> CommittedState<App.State>? = { nil }
    ) {
        self.log = log
        beginning = Mutex(Beginning(base, bytes: base.bytes, of: log))
        self.queries = queries
        self.clock = clock
        self.present = present
        foldOn = { (log, past, last) throws(StoreError) in
            let first = past.sequence
            try Self.readSlice(of: log, from: first + 1, through: last) { record, action in
                past.apply(action, of: record)
                return true
            }
            return past.sequence - first
        }
        (gaps, gap) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        places = PathIndexMap(App.lists(of: base.state))
        loader = SnapshotLoader(snapshots, of: log, fingerprint: fingerprint, freeBytesMin: freeBytesMin)
    }

    public var head: UInt64 { log.head.sequence }

    /// The total cost of all queries.
    public struct Work: Sendable, Equatable {
        public internal(set) var decoded: UInt64 = 0
        public internal(set) var folded: UInt64 = 0
        /// Evaluation steps of conditions on records.
        public internal(set) var steps = 0
    }

    public var work: Work { counting.withLock { $0 } }

    /// Drops the cached states, because they no longer match the log.
    public func forget() {
        cache.withLock { $0.removeAll() }
        noting.withLock { $0 = nil }
        isIndexed.withLock { $0 = false }
        gap.yield()
    }

    /// Moves the base forward; call it together with the compaction, or the history would request records that are gone.
    public func begin(with base: PastState<App>) {
        let bytes = UInt64(App.growth(from: nil, to: base.state))
        beginning.withLock { [log] in $0 = Beginning(base, bytes: bytes, of: log) }
        forget()
    }

    func pastAtBase() throws(StoreError) -> PastState<App> {
        if let past = smallPastAtBase { return past }
        guard let past = try PastState<App>(baseOf: log) else { throw .compacted }
        return past
    }

    /// The state at the base; `nil`: it is large.
    var smallPastAtBase: PastState<App>? { beginning.withLock { $0.past } }

    /// The base of a log; a large state is read again when needed, because it would double the memory of the present.
    private struct Beginning {
        let sequence: UInt64
        let time: Int64
        let past: PastState<App>?

        init(_ past: PastState<App>, bytes: UInt64, of log: any ActionLog) {
            (sequence, time) = (past.sequence, past.time)
            let isLarge = log.base?.sequence == past.sequence && bytes > HistoryLimits.pastBytesMax
            self.past = isLarge ? nil : past
        }
    }

    /// The number of redactions; a state that was folded before the last one may be outdated.
    var redactions: UInt64 { log.redactions.count }

    var shown: UInt64? { present()?.sequence }

    /// The state after the last flush, if it is of this sequence.
    func present(at sequence: UInt64) -> PastState<App>? {
        guard let present = present(), present.sequence == sequence else { return nil }
        var past = PastState<App>(sequence: sequence, time: present.time, state: present.state, redactions: present.redactions)
        past.lineage = .present
        return past
    }

    /// Runs a query on the query thread, unless too many are waiting.
    func query<Answer: Sendable>(
        _ length: QueryThread.Length = .short, _ body: @Sendable (isolated QueryExecutor) async throws(StoreError) -> Answer
    ) async throws(StoreError) -> Answer {
        try await queries.admit(length, body)
    }

    /// Runs a long query from the base; if the log is compacted concurrently, runs it again from the new base.
    func queryFromBase<Answer: Sendable>(
        _ body: @Sendable (isolated QueryExecutor) async throws(StoreError) -> Answer
    ) async throws(StoreError) -> Answer {
        try await query(.long) { (queries) async throws(StoreError) in
            while true {
                let base = self.base.sequence
                do throws(StoreError) { return try await body(queries) } catch {
                    guard case .pruned = error, self.base.sequence > base else { throw error }
                }
                try await queries.yieldIfNeeded()
            }
        }
    }

    /// Resolves a point to a sequence.
    /// - Throws: `futureSequence` or `pruned` outside of the available range, `unknownBookmark`.
    public func resolve(_ point: Point) async throws(StoreError) -> UInt64 {
        switch point {
        case .time, .bookmark, .before: try await query { (queries) async throws(StoreError) in try self.position(point) }
        case .sequence, .back, .start, .now: try position(point)
        }
    }

    func position(_ point: Point) throws(StoreError) -> UInt64 {
        let head = log.head
        switch point {
        case .start: return base.sequence
        case .now: return head.sequence
        case .sequence(let sequence): return try checked(sequence, head.sequence)
        case .back(let count): return try position(.before(.now, count))
        case .time(let time):
            try checkHasCome(time)
            let base = base
            guard base.sequence == 0 || time >= base.time else { throw .pruned(base: base.sequence) }
            let sequence = try StoreError.reading { () throws(ActionLogError) in try log.sequence(atOrBefore: time) }
            return try checked(min(sequence, head.sequence), head.sequence)
        case .bookmark(let name):
            let row = try StoreError.reading { () throws(ActionLogError) in try log.bookmark(name) }
            guard let row else { throw .unknownBookmark(name) }
            return try checked(row.sequence, head.sequence)
        case .before(let point, let count):
            let sequence = try position(point)
            guard count <= sequence else { throw .pruned(base: base.sequence) }
            return try checked(sequence - count, head.sequence)
        }
    }

    /// Rejects a time in the future with `futureSequence`; the state since the last record is known.
    public func checkHasCome(_ time: Int64) throws(StoreError) {
        let head = log.head
        guard time <= max(head.time, clock.wall()) else { throw .futureSequence(head: head.sequence) }
    }

    private func checked(_ sequence: UInt64, _ head: UInt64) throws(StoreError) -> UInt64 {
        guard sequence >= base.sequence else { throw .pruned(base: base.sequence) }
        guard sequence <= head else { throw .futureSequence(head: head) }
        return sequence
    }

    public func bookmarks() async throws(StoreError) -> [BookmarkRow] {
        try await query { (queries) async throws(StoreError) in
            try StoreError.reading { () throws(ActionLogError) in try self.log.bookmarks() }
        }
    }
}
