import Records
import Reducing
import Values

extension StagedLog {
    /// Refuses what people do while the log is locked; what was asked for before, and what commands bring, goes on.
    func checkUnlocked() throws(StoreError) {
        if let lock = staged.lock { throw .locked(lock) }
    }

    /// Locks the log, or gives another reason why it is.
    mutating func lock(_ reason: String, by uid: UInt32) throws(StoreError) -> Acknowledgement<App.Command> {
        try checkWritable()
        try pending.checkRoom(in: log, freeBytesMin: options.freeBytesMin)
        let sequence = stageMark(.lock, by: uid) { Lock(reason: reason).encode(into: &$0) }
        change(.lock(Lock(reason: reason, origin: uid, record: sequence)))
        return Acknowledgement(epoch: staged.epoch, sequences: sequence..<sequence + 1)
    }

    /// Lets dispatches go on; of a log that is not locked nothing is to be said.
    mutating func unlock(by uid: UInt32) throws(StoreError) -> Acknowledgement<App.Command> {
        try checkWritable()
        guard staged.lock != nil else { return nothing }
        let sequence = stageMark(.unlock, by: uid)
        change(.unlock)
        return Acknowledgement(epoch: staged.epoch, sequences: sequence..<sequence + 1)
    }

    private mutating func change(_ change: LockChange) {
        pending.flush.headChange.lock = change
        staged.lock = if case .lock(let lock) = change { lock } else { nil }
    }
}
