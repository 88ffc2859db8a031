internal import LMDB

extension LMDBActionLog {
    /// Opens a log for reading alone, whatever state it is in, and ends it before its first damage.
    ///
    /// Reads the whole log once to find that place; `damage` says what was found there. Takes no lock, so it also works
    /// beside a daemon; what that appends later is not seen. Changes nothing.
    public static func openReadOnly(
        directory: String, configuration: LogConfiguration = LogConfiguration()
    ) throws(ActionLogError) -> LMDBActionLog {
        try refuseNetwork(directory)
        let environment = try openEnvironment(directory, configuration, isReadOnly: true)
        guard let tables = try tables(environment) else { throw .damaged(sequence: 0, what: "there are no tables") }
        var damage: ActionLogError?
        var head = Head(epoch: 0, storeID: "")
        var base: Base?
        var redactions = Redactions()
        do throws(ActionLogError) {
            if let opened = try existing(environment) {
                (head, base, redactions) = (opened.head, opened.base, opened.redactions)
            }
            try checkEnd(environment, tables, head, base)
            try checkAnchor(directory, environment, tables, head, base)
        } catch {
            damage = error
        }
        // To read through, a log needs an end; behind the last record the scan stops by itself.
        var scanned = head
        if damage != nil { scanned.sequence = .max - 1 }
        let whole = LMDBActionLog(
            environment: environment, tables: tables, directory: directory, bootID: configuration.bootID, lock: nil,
            head: scanned, base: base, redactions: redactions)
        var end = Head(
            sequence: base?.sequence ?? 0, checksum: base?.checksum ?? 0, time: base?.time ?? 0, epoch: head.epoch,
            storeID: head.storeID, bootID: head.bootID, bootClock: head.bootClock,
            heldThrough: head.heldThrough)
        do throws(ActionLogError) {
            _ = try whole.fold(from: whole.first, through: .max - 1) { record, _ in
                end.sequence = record.sequence
                end.time = record.time
                return true
            }
        } catch {
            // A log whose head is lost ends where its records do; that is said already.
            damage = damage ?? error
        }
        if end.sequence > base?.sequence ?? 0 { end.checksum = try checked(end.sequence, environment, tables).checksum }
        return LMDBActionLog(
            environment: environment, tables: tables, directory: directory, bootID: configuration.bootID, lock: nil, head: end,
            base: base, redactions: redactions, damage: damage)
    }
}
