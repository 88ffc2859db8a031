internal import LMDB
internal import Records

extension LMDBActionLog {
    // The record, the hold and the new identity are one transaction: a crash leaves the log foreign or its own.
    func beginEpoch(_ identity: LogIdentity, _ configuration: LogConfiguration, now: Int64) throws(ActionLogError) {
        let head = head
        let clock = SystemIdentity.bootClock(configuration.bootID)
        // Who holds all commands, those to come too, holds them in the copy as well.
        let change = EpochChange(
            epoch: max(max(head.epoch, head.epoch &+ 1), UInt64(max(now, 1))), previous: head.epoch,
            heldThrough: max(head.heldThrough, head.sequence))
        let time = Self.time(after: head, now: now, clock: clock)
        let header = RecordHeader(
            kind: .epoch, sequence: head.sequence + 1, time: time, rawTime: time == now ? nil : now, step: head.sequence + 1)
        var flush = Flush(after: head)
        flush.stage(header) { change.encode(into: &$0) }
        flush.clock = clock
        flush.headChange.heldThrough = change.heldThrough
        var identity = identity
        identity.machineID = configuration.machineID
        identity.inode = environment.inode
        try append(flush, identity: identity, epoch: change.epoch) { () throws(ActionLogError) in }
    }

    /// A time above the last record's; a clock that runs far ahead of what can have passed is not believed.
    ///
    /// Within one boot that is 24 hours more than the boot clock advanced, after another boot 400 days.
    static func time(after head: Head, now: Int64, clock: BootClock) -> Int64 {
        let floor = head.time.adding(clamping: 1)
        guard head.sequence > 0 else { return max(now, floor) }
        let isSameBoot = !clock.bootID.isEmpty && clock.bootID == head.bootID
        let day: Int64 = 86_400_000_000
        let passed = isSameBoot ? max(0, clock.microseconds.subtracting(clamping: head.bootClock)) : 0
        let jumpMax = isSameBoot ? day : 400 * day
        let isBelieved = now.subtracting(clamping: head.time.adding(clamping: passed)) <= jumpMax
        return isBelieved ? max(now, floor) : floor
    }
}
