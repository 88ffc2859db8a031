import Chronicle
import ChronicleLog

extension StagedLog {
    /// Refuses operations of people while the log is locked; earlier requests and command results continue.
    func checkUnlocked() throws(StoreError) {
        if let lock = staged.lock { throw .locked(lock) }
    }

    mutating func lock(_ reason: String, by uid: UInt32) throws(StoreError) -> DispatchResult<App.Command> {
        try checkWritable()
        try pending.checkRoom(in: log, freeBytesMin: options.freeBytesMin)
        let sequence = stageMark(.lock, by: uid) { Lock(reason: reason).encode(into: &$0) }
        change(.lock(Lock(reason: reason, origin: uid, record: sequence)))
        return DispatchResult(epoch: staged.epoch, sequences: sequence..<sequence + 1)
    }

    /// Unlocks the log; logs nothing if it is not locked.
    mutating func unlock(by uid: UInt32) throws(StoreError) -> DispatchResult<App.Command> {
        try checkWritable()
        guard staged.lock != nil else { return nothing }
        let sequence = stageMark(.unlock, by: uid)
        change(.unlock)
        return DispatchResult(epoch: staged.epoch, sequences: sequence..<sequence + 1)
    }

    private mutating func change(_ change: LockChange) {
        pending.flush.headChange.lock = change
        staged.lock = if case .lock(let lock) = change { lock } else { nil }
    }
}
