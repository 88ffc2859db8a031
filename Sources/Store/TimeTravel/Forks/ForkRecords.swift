public import Chronicle
public import ChronicleLog
public import ChronicleStore

/// The records of a fork after the last one that it shares with another log.
public struct ForkRecords<App: Feature>: Sendable where App.Action: CanonicalCodable {
    public let epoch: UInt64
    /// The last shared record.
    public let point: UInt64
    /// The checksum of that record, which covers all history up to it; 0 at the start.
    public let chain: UInt64
    /// The last record to merge.
    public private(set) var last: UInt64
    public private(set) var lastChain: UInt64
    /// The last added record and its checksum.
    public private(set) var end: (sequence: UInt64, chain: UInt64)
    private(set) var actions: [(record: HeaderFields, action: App.Action)] = []
    /// The merges into the fork, by their first record.
    private(set) var marks: [UInt64: ForkMark] = [:]
    private var byteCount = 0
    private let now: Int64
    private let through: UInt64
    // Limited to as many records as can be merged.
    private var chains: [UInt64] = []
    // The last record, and the first record of its dispatch.
    private var latest: (header: RecordHeader, first: UInt64)?
    /// The dispatch that the end of the merge would split.
    private var divided: ClosedRange<UInt64>?
    // Without a key, two dispatches that share a step can't be told apart.
    private var isKeyed = false

    /// - Parameters:
    ///   - now: microseconds since 1970 by this machine's clock.
    ///   - through: the last record to merge; later ones only identify the fork.
    public init(epoch: UInt64, point: UInt64, chain: UInt64, now: Int64, through: UInt64 = .max) {
        self.now = now
        self.through = through
        self.epoch = epoch
        (self.point, last) = (point, point)
        (self.chain, lastChain) = (chain, chain)
        end = (point, chain)
    }

    var firstChain: UInt64? { chains.first }

    /// The mark of the records to merge if those through `reached` were merged before; `nil` if nothing else is folded.
    func mark(from reached: UInt64) -> ForkMark? {
        // Later records, such as epochs, belong to the file and differ between copies of it.
        guard let through = actions.last?.record.sequence, through > reached, let chain = chain(of: through), let firstChain
        else { return nil }
        return ForkMark(
            epoch: epoch, from: reached, through: through, chain: chain, firstChain: firstChain, held: standingMerges.brought)
    }

    /// Whether this fork contains the marked records, whatever its epoch: it may have been moved or copied.
    func has(_ mark: ForkMark) -> Bool { mark.firstChain == firstChain && chain(of: mark.through) == mark.chain }

    /// Throws `badFork` if the marked records began as this fork but are not in it: the shared part would be merged twice.
    func checkWay(_ mark: ForkMark) throws(StoreError) {
        guard mark.firstChain == firstChain, !has(mark) else { return }
        guard mark.through <= end.sequence else {
            throw .badFork(
                "It, or a copy of it, was merged through record \(mark.through), and what is given of it ends at \(end.sequence): "
                    + "give all of it; if it was put back, undo that merge, or make a new fork.")
        }
        throw .badFork(
            "Its record \(mark.through) is another than the one through which a fork was merged that began as it did: "
                + "it is a copy that went its own way, or was put back. Undo that merge, or make a new fork.")
    }

    /// Throws `badFork` if only part of a dispatch would be merged: it was decided as a whole and is undone as a whole.
    func checkWhole() throws(StoreError) {
        guard let divided else { return }
        let before = divided.lowerBound - 1
        throw .badFork(
            "Records \(divided.lowerBound) to \(divided.upperBound) \(isKeyed ? "came" : "may have come") with one "
                + "dispatch, which is merged as a whole or not at all: merge through \(divided.upperBound)"
                + (before > point ? ", or through \(before)." : "."))
    }

    private mutating func note(_ header: RecordHeader) {
        let sequence = header.sequence
        let first = latest.map { header.isOfDispatch(of: $0.header) ? $0.first : sequence } ?? sequence
        latest = (header, first)
        if sequence > through, first <= through { (divided, isKeyed) = (first...sequence, header.key != nil) }
    }

    private func chain(of sequence: UInt64) -> UInt64? {
        guard sequence > point, sequence - point <= UInt64(chains.count) else { return nil }
        return chains[Int(sequence - point) - 1]
    }

    /// - Throws: `badFork` if it doesn't follow the previous one, can't be imported, can't be read by this version, or exceeds the limit.
    public mutating func add(_ record: SealedRecord) throws(StoreError) {
        let sequence = record.header.sequence
        guard sequence == end.sequence + 1, record.previous == end.chain else {
            throw .badFork("Record \(sequence) does not follow the one before it.")
        }
        if let objection = ImportLimits.objection(to: record.header, at: now) {
            throw .badFork("Record \(sequence) \(objection).")
        }
        end = (sequence, record.checksum)
        if chains.count < HistoryLimits.forkRecordsMax { chains.append(record.checksum) }
        note(record.header)
        guard sequence <= through else { return }
        byteCount += record.bytes.count
        guard sequence - point <= UInt64(HistoryLimits.forkRecordsMax), byteCount <= HistoryLimits.forkBytesMax else {
            throw .badFork(
                "At most \(HistoryLimits.forkRecordsMax) records of a fork, of \(HistoryLimits.forkBytesMax >> 20) MiB, can be merged."
            )
        }
        (last, lastChain) = (sequence, record.checksum)
        if let mark = record.header.merges, sequence == record.header.step { marks[sequence] = mark }
        guard record.header.kind.holdsAction(payloadBytes: record.payload.count) else { return }
        do throws(CanonicalError) { actions.append((record.fields, try App.Action(canonical: record.payloadBytes))) } catch {
            throw .badFork("This version can't read record \(sequence): \(error.reason).")
        }
    }
}

extension ForkRecords {
    var standingMerges: ActiveMerges {
        var (undos, standing) = (UndoStates(), ActiveMerges())
        for (record, _) in actions.reversed() {
            undos.take(record)
            guard record.isMerge, undos.undoing(record.step) == nil, let mark = marks[record.sequence] else { continue }
            standing.take(mark, of: record.step)
        }
        return standing
    }

    /// Throws `badFork` if a fork would be merged twice because it was merged into both logs.
    /// - Parameters:
    ///   - held: the active merges in this fork.
    ///   - here: the active merges in the target log.
    func checkHeld(_ held: ActiveMerges, _ here: ActiveMerges) throws(StoreError) {
        for (step, mark) in here.all where mark.firstChain != firstChain {
            guard !mark.held.contains(where: { $0.firstChain == firstChain }) else {
                throw .badFork(
                    "It came with another fork, into which it was merged, in step \(step): "
                        + "merge what it did since into that one, and that one here, or undo step \(step).")
            }
            for (other, own) in held.all where own.overlaps(mark) {
                throw .badFork(
                    "A fork that was merged into it, in its step \(other), is here already since step \(step): "
                        + "undo its step \(other) there, or step \(step) here.")
            }
        }
    }
}

/// The last active merge of each fork, collected while scanning a log backwards.
struct ActiveMerges {
    typealias Merge = (step: UInt64, mark: ForkMark)

    private(set) var all: [Merge] = []
    private var forks: Set<UInt64> = []

    /// Adds an active merge that precedes the last one added; a later merge of the same fork covers it.
    mutating func take(_ mark: ForkMark, of step: UInt64) {
        if forks.insert(mark.firstChain).inserted { all.append((step, mark)) }
    }

    /// Everything merged, each fork once.
    var brought: [HeldFork] {
        var seen: Set<UInt64> = []
        return all.flatMap(\.mark.brought).filter { seen.insert($0.firstChain).inserted }
    }
}
