public import Chronicle
public import ChronicleLog

/// A cache of recent past states; a state is charged only for what it does not share with others.
struct HistoryCache<App: Feature>: Sendable where App.State: CanonicalCodable, App.Action: CanonicalCodable {
    // In order of use, the most recent last.
    private var pasts: [PastState<App>] = []
    private var lineages: UInt64 = 0

    /// The closest state at or before a sequence; drops states that a redaction made outdated.
    mutating func nearest(through sequence: UInt64, after redactions: Redactions) -> PastState<App>? {
        pasts.removeAll { !redactions.leave($0.sequence, foldedAfter: $0.redactions) }
        let candidates = pasts.indices.filter { pasts[$0].sequence <= sequence }
        guard let index = candidates.max(by: { pasts[$0].sequence < pasts[$1].sequence }) else { return nil }
        let past = pasts.remove(at: index)
        pasts.append(past)
        return past
    }

    struct Gone: Sendable {
        var pasts: [PastState<App>] = []
        /// Whether it includes all states that descend from a large one.
        var isLarge = false
    }

    /// Caches a decoded state, which shares nothing with any other; returns the evicted states, as `keep` does.
    mutating func keep(decoded past: inout PastState<App>, head: UInt64) -> Gone {
        lineages += 1
        past.lineage = .decoded(lineages)
        return keep(past, head: head)
    }

    /// Caches a state and returns the least recently used ones; never evicts the last one, whose neighbors are likely next.
    mutating func keep(_ past: PastState<App>, head: UInt64) -> Gone {
        let large = largeLineages
        var gone = Gone()
        if let index = pasts.firstIndex(where: { $0.sequence == past.sequence }) { gone.pasts.append(pasts.remove(at: index)) }
        pasts.append(past)
        while pasts.count > HistoryLimits.pastsMax || pasts.count > 1 && holdTooMuch(head: head) {
            gone.pasts.append(pasts.removeFirst())
        }
        gone.isLarge = !largeLineages.isSuperset(of: large)
        return gone
    }

    /// Evicts the large states, except those that the present shares: keeping them until the next one arrives would double the memory.
    mutating func removeLarge() { pasts.removeAll { $0.isLarge && $0.lineage != .present } }

    mutating func remove(_ sequence: UInt64) { pasts.removeAll { $0.sequence == sequence } }

    mutating func removeAll() { pasts = [] }

    private var largeLineages: Set<PastState<App>.Lineage> { Set(pasts.lazy.filter { $0.isLarge }.map { $0.lineage }) }

    private func holdTooMuch(head: UInt64) -> Bool {
        // No state is charged for more than its size, and most are small.
        pasts.reduce(0) { $0 + $1.bytes } > HistoryLimits.pastBytesMax && chargedBytes(head: head) > HistoryLimits.pastBytesMax
    }

    /// The bytes that the cache holds beyond the base, the present, and the origin of the last state.
    private func chargedBytes(head: UInt64) -> UInt64 {
        let last = pasts.last?.lineage
        return Dictionary(grouping: pasts) { $0.lineage }.reduce(0) { sum, group in
            let chain = group.value.sorted { $0.sequence < $1.sequence }
            var charged: UInt64 =
                switch group.key {
                case .base: chain[0].changedBytes(over: chain[0].sequence)
                case .present: chain[0].changedBytes(over: head - min(head, chain[0].sequence))
                case .decoded: group.key == last ? 0 : chain[0].bytes
                }
            for (before, after) in zip(chain, chain.dropFirst()) {
                charged += after.changedBytes(over: after.sequence - before.sequence)
            }
            return sum + charged
        }
    }
}

extension PastState {
    fileprivate var isLarge: Bool { bytes > HistoryLimits.pastBytesMax }

    /// Estimates the bytes that it does not share with a state this number of records away.
    fileprivate func changedBytes(over records: UInt64) -> UInt64 {
        let (changed, overflows) = records.multipliedReportingOverflow(by: HistoryLimits.pastBytesPerRecord)
        return overflows ? bytes : min(bytes, changed)
    }
}

/// A past state that can be folded further.
public struct PastState<App: Feature>: Sendable where App.State: CanonicalCodable, App.Action: CanonicalCodable {
    /// The last folded record; 0 is the start.
    public var sequence: UInt64
    /// The time of that record, in microseconds since 1970; 0 before the first.
    public var time: Int64
    public var state: App.State
    /// Approximate canonical bytes of the state.
    public var bytes: UInt64
    /// Number of records folded since the cached state.
    public var folded: UInt64
    /// Number of redactions of the log when the fold began.
    public var redactions: UInt64
    /// States with the same lineage share all unchanged parts.
    var lineage = Lineage.base

    enum Lineage: Hashable, Sendable {
        case base
        case present
        /// A decoded snapshot; each load is a different one.
        case decoded(UInt64)
    }

    public init(
        sequence: UInt64 = 0, time: Int64 = 0, state: App.State, bytes: UInt64 = 0, folded: UInt64 = 0, redactions: UInt64 = 0
    ) {
        (self.sequence, self.time, self.state) = (sequence, time, state)
        (self.bytes, self.folded, self.redactions) = (bytes, folded, redactions)
    }

    /// Estimates the size of a state that never was a snapshot, from its lists.
    mutating func estimateBytes() {
        guard bytes == 0 else { return }
        bytes = App.lists(of: state).reduce(256) { $0 + UInt64($1.count) * 64 }
    }

    /// Applies the next record with its action, or, in a dry-run fold, with another action or none.
    /// - Returns: the commands that the reducer requested; they are not run.
    @discardableResult
    public mutating func apply(_ action: App.Action?, of record: HeaderFields) -> [App.Command] {
        sequence = record.sequence
        time = record.time
        folded += 1
        guard let action else { return [] }
        return App.reduce(&state, action, Context(time: record.time, origin: record.origin))
    }
}
