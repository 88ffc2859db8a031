internal import ChronicleLog
internal import LMDB

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
