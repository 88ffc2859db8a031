public import ChronicleLog
internal import Glibc
internal import LMDB

extension LMDBActionLog {
    /// Opens a log read-only in any condition, and ends it before its first damage.
    ///
    /// Reads the whole log once to find that place; `damage` has the error. Takes no lock, so a daemon may be running; its later
    /// appends are not visible, and its compaction is seen completely or not at all. Changes nothing, except that it completes an
    /// interrupted compaction. Throws `noLog`.
    public static func openReadOnly(
        directory: String, configuration: LogConfiguration = LogConfiguration()
    ) throws(ActionLogError) -> LMDBActionLog {
        let (database, found, endDamage) = try lookBesideWriter(directory, configuration)
        var damage = endDamage
        var opened = found ?? Opened(database: database, identity: LogIdentity(), head: Head(epoch: 0, storeID: ""))
        // The head may be lost. The scan stops after the last record in any case.
        var scanned = opened
        if damage != nil { scanned.head.sequence = .max - 1 }
        let whole = LMDBActionLog(scanned, in: directory, lock: nil)
        let base = opened.base ?? Base(sequence: 0, checksum: 0, time: 0, archive: nil)
        (opened.head.sequence, opened.head.checksum, opened.head.time) = (base.sequence, base.checksum, base.time)
        do throws(ActionLogError) {
            _ = try whole.fold(from: whole.first, through: .max - 1) { record, _ in
                (opened.head.sequence, opened.head.time) = (record.sequence, record.time)
                return true
            }
        } catch {
            guard error.isDamage else { throw error }
            // A lost head is reported already; the log then ends with its records.
            damage = damage ?? error
        }
        if opened.head.sequence > base.sequence {
            opened.head.checksum = try database.checked(opened.head.sequence).checksum
        }
        return LMDBActionLog(opened, in: directory, lock: nil, damage: damage)
    }

    /// Opens a log read-only after checking its ends; damage in the middle is found on reading.
    ///
    /// Takes no lock, so a daemon may be running; its later appends are not visible. Throws `noLog`, and damage at the ends.
    public static func openBeside(
        directory: String, configuration: LogConfiguration = LogConfiguration()
    ) throws(ActionLogError) -> LMDBActionLog {
        let (_, opened, damage) = try lookBesideWriter(directory, configuration)
        if let damage { throw damage }
        guard let opened else { throw Database.withoutTables }
        return LMDBActionLog(opened, in: directory, lock: nil)
    }

    private static func lookBesideWriter(
        _ directory: String, _ configuration: LogConfiguration
    ) throws(ActionLogError) -> (Database, Opened?, ActionLogError?) {
        try requireLog(in: directory)
        try requireSafePlace(directory)
        guard let database = try Database(openBesideWriter(directory, configuration)) else { throw Database.withoutTables }
        let (opened, damage) = try lookAtEnds(of: database, in: directory)
        return (database, opened, damage)
    }

    /// Throws `noLog` if the directory or its log is missing or unused.
    static func requireLog(in directory: String) throws(ActionLogError) {
        if isUnused(directory) { throw .noLog(directory: directory) }
    }

    // Maximum number of attempts if a writer interferes, and the pause while a compaction moves its files.
    private static let looksMax = 1_000
    private static let lookPauseMicroseconds: UInt32 = 1_000

    /// Opens the data and the readers' file of the same environment, although a compaction may be replacing them.
    private static func openBesideWriter(
        _ directory: String, _ configuration: LogConfiguration
    ) throws(ActionLogError) -> Environment {
        let exchange = LogExchange(in: directory)
        for _ in 0..<looksMax {
            let before = exchange.files
            if before.isHalfway {
                usleep(lookPauseMicroseconds)
                continue
            }
            let environment = try openEnvironment(directory, configuration, isReadOnly: true)
            if exchange.files == before { return environment }
        }
        // No running writer takes this long, so the exchange was interrupted.
        try exchange.finish()
        return try openEnvironment(directory, configuration, isReadOnly: true)
    }

    /// Reads the rows next to the records and checks them; repeated if a writer commits in between.
    private static func lookAtEnds(
        of database: Database, in directory: String
    ) throws(ActionLogError) -> (Opened?, ActionLogError?) {
        var looks = 0
        while true {
            looks += 1
            var opened: Opened?
            do throws(ActionLogError) {
                opened = try database.opened()
                try opened?.checkEnds(in: directory)
                return (opened, nil)
            } catch {
                guard error.isDamage else { throw error }
                let now = try? database.opened()
                guard looks < looksMax, let now, now.head != opened?.head else { return (opened, error) }
            }
        }
    }

    /// Reads the header row, the head row, the last record and the file `head` again.
    public func checkFiles() throws(ActionLogError) {
        if let damage = try Self.lookAtEnds(of: database, in: directory).1 { throw damage }
    }
}
