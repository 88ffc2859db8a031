internal import ChronicleLog
internal import ChronicleValues
internal import CMachine
internal import LMDB

/// The identity of the environment, stored in it; changes with a new epoch.
struct LogIdentity: Equatable {
    static let format: UInt32 = 1
    static let compactedFormat: UInt32 = 2

    var format: UInt32
    var storeID: String
    /// The machine that last opened it for writing; empty if unknown.
    var machineID: String
    /// The inode of the data file, by which copies are detected.
    var inode: UInt64
    var created: Int64

    /// Whether the file was copied, restored or moved from another machine.
    func isForeign(machineID: String, inode: UInt64) -> Bool {
        if self.inode != inode { return true }
        return !self.machineID.isEmpty && !machineID.isEmpty && self.machineID != machineID
    }
}

extension LogIdentity: RowCoding {
    init() { self.init(format: 0, storeID: "", machineID: "", inode: 0, created: 0) }

    mutating func code<Coder: RowCoder>(_ fields: inout Coder) throws(Coder.Failure) {
        try fields.field(1, &format)
        try fields.field(2, &storeID)
        try fields.field(3, &machineID)
        try fields.field(4, &inode)
        try fields.field(5, &created)
    }
}

extension LMDBActionLog {
    // The record, the hold and the new identity are one transaction, so a crash leaves the log either foreign or own.
    func beginEpoch(_ identity: LogIdentity, _ configuration: LogConfiguration, now: Int64) throws(ActionLogError) {
        let head = head
        // If all commands are held, including future ones, they stay held in the copy.
        let change = EpochChange(
            epoch: max(max(head.epoch, head.epoch &+ 1), UInt64(max(now, 1))), previous: head.epoch,
            heldThrough: max(head.heldThrough, head.sequence))
        let time = max(now, head.time.adding(clamping: 1))
        let header = RecordHeader(
            kind: .epoch, sequence: head.sequence + 1, time: time, rawTime: time == now ? nil : now, step: head.sequence + 1)
        var flush = Flush(after: head)
        flush.stage(header) { change.encode(into: &$0) }
        flush.headChange.heldThrough = change.heldThrough
        var identity = identity
        identity.machineID = configuration.machineID
        identity.inode = environment.inode
        try append(flush, identity: identity, epoch: change.epoch) { () throws(ActionLogError) in }
    }
}

public enum SystemIdentity {
    /// The machine's id, 32 hex digits; empty if missing.
    public static let machineID = SmallFile.line("/etc/machine-id") ?? ""

    /// The time of day, in microseconds since 1970.
    @Sendable public static func now() -> Int64 { wall_microseconds() }
}
