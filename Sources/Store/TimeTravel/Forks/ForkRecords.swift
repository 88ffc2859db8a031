public import Records
public import Reducing
public import StoreRuntime
public import Values

/// What happened in a fork: its records behind the last one that it shares with another log.
public struct ForkRecords<App: Feature>: Sendable where App.Action: CanonicalCodable {
    /// The epoch of the fork.
    public let epoch: UInt64
    /// The last record that both logs have.
    public let point: UInt64
    /// The checksum of that record, which stands for all history up to it; 0 before everything.
    public let chain: UInt64
    /// The last record that is to be merged.
    public private(set) var last: UInt64
    /// The checksum of that record.
    public private(set) var lastChain: UInt64
    /// The last record that was added, and its checksum.
    public private(set) var end: (sequence: UInt64, chain: UInt64)
    /// The checksum of the first record that the other log has not; `nil` while there is none.
    private(set) var firstChain: UInt64?
    /// What is folded, in sequence.
    private(set) var actions: [(record: HeaderFields, action: App.Action)] = []
    private var byteCount = 0
    private let now: Int64
    private let through: UInt64
    // Of each epoch that ended in it, because it was copied or moved, the last record.
    private var ended: [UInt64: UInt64] = [:]

    /// Begins with none.
    ///
    /// - Parameters:
    ///   - now: microseconds since 1970 by this machine's clock.
    ///   - through: what comes behind this record is not merged; it only tells of which fork it is.
    public init(epoch: UInt64, point: UInt64, chain: UInt64, now: Int64, through: UInt64 = .max) {
        self.now = now
        self.through = through
        self.epoch = epoch
        (self.point, last) = (point, point)
        (self.chain, lastChain) = (chain, chain)
        end = (point, chain)
    }

    /// Whether a mark speaks of this fork.
    ///
    /// - Throws: `badFork` where it speaks of a log of which this one is a copy, and of more than both have.
    func knows(_ mark: ForkMark) throws(StoreError) -> Bool {
        if mark.epoch == epoch { return true }
        guard let last = ended[mark.epoch] else { return false }
        guard mark.through <= last else {
            throw .badFork(
                "It is a copy, from record \(last), of a fork that was merged through \(mark.through): make a fork anew.")
        }
        return true
    }

    /// Adds the next record.
    ///
    /// - Throws: `badFork` where it does not follow the one before, no import would take it, this version can't read it, or there are too many.
    public mutating func add(_ record: SealedRecord) throws(StoreError) {
        let sequence = record.header.sequence
        guard sequence == end.sequence + 1, record.previous == end.chain else {
            throw .badFork("Record \(sequence) does not follow the one before it.")
        }
        if let objection = ImportLimits.objection(to: record.header, at: now) {
            throw .badFork("Record \(sequence) \(objection).")
        }
        end = (sequence, record.checksum)
        if record.header.kind == .epoch {
            do throws(CanonicalError) {
                ended[try EpochChange(canonical: record.payloadBytes).previous] = sequence - 1
            } catch { throw unreadable(sequence, error) }
        }
        guard sequence <= through else { return }
        byteCount += record.bytes.count
        guard sequence - point <= UInt64(HistoryLimits.forkRecordsMax), byteCount <= HistoryLimits.forkBytesMax else {
            throw .badFork(
                "At most \(HistoryLimits.forkRecordsMax) records of a fork, of \(HistoryLimits.forkBytesMax >> 20) MiB, can be merged."
            )
        }
        (last, lastChain) = (sequence, record.checksum)
        firstChain = firstChain ?? lastChain
        guard record.header.kind.holdsAction(payloadBytes: record.payload.count) else { return }
        do throws(CanonicalError) { actions.append((record.fields, try App.Action(canonical: record.payloadBytes))) } catch {
            throw unreadable(sequence, error)
        }
    }

    private func unreadable(_ sequence: UInt64, _ error: CanonicalError) -> StoreError {
        .badFork("This version can't read record \(sequence): \(error.reason).")
    }
}
