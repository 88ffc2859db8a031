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
    /// The last record.
    public private(set) var last: UInt64
    /// The checksum of the last record.
    public private(set) var lastChain: UInt64
    /// The checksum of the first record that the other log has not; `nil` while there is none.
    private(set) var firstChain: UInt64?
    /// What is folded, in sequence.
    private(set) var actions: [(record: HeaderFields, action: App.Action)] = []
    private var byteCount = 0
    private let now: Int64

    /// Begins with none.
    ///
    /// - Parameter now: microseconds since 1970 by this machine's clock.
    public init(epoch: UInt64, point: UInt64, chain: UInt64, now: Int64) {
        self.now = now
        self.epoch = epoch
        (self.point, last) = (point, point)
        (self.chain, lastChain) = (chain, chain)
    }

    /// Adds the next record.
    ///
    /// - Throws: `badFork` where it does not follow the one before, no import would take it, this version can't read it, or there are too many.
    public mutating func add(_ record: SealedRecord) throws(StoreError) {
        let sequence = record.header.sequence
        guard sequence == last + 1, record.previous == lastChain else {
            throw .badFork("Record \(sequence) does not follow the one before it.")
        }
        if let objection = ImportLimits.objection(to: record.header, at: now) {
            throw .badFork("Record \(sequence) \(objection).")
        }
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
            throw .badFork("This version can't read record \(sequence): \(error.reason).")
        }
    }
}
