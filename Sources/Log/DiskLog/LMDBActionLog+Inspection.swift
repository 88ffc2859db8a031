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
        let (environment, tables, opened, endDamage) = try lookBesideWriter(directory, configuration)
        var damage = endDamage
        let (head, base) = (opened?.head ?? Head(epoch: 0, storeID: ""), opened?.base)
        let redactions = opened?.redactions ?? Redactions()
        // The head may be lost. The scan stops after the last record in any case.
        var scanned = head
        if damage != nil { scanned.sequence = .max - 1 }
        let whole = LMDBActionLog(
            environment: environment, tables: tables, directory: directory, lock: nil,
            head: scanned, base: base, redactions: redactions)
        var end = Head(
            sequence: base?.sequence ?? 0, checksum: base?.checksum ?? 0, time: base?.time ?? 0, epoch: head.epoch,
            storeID: head.storeID, heldThrough: head.heldThrough, lock: head.lock, throttles: head.throttles,
            invariants: head.invariants, importedThrough: head.importedThrough)
        do throws(ActionLogError) {
            _ = try whole.fold(from: whole.first, through: .max - 1) { record, _ in
                end.sequence = record.sequence
                end.time = record.time
                return true
            }
        } catch {
            guard error.isDamage else { throw error }
            // A lost head is reported already; the log then ends with its records.
            damage = damage ?? error
        }
        if end.sequence > base?.sequence ?? 0 { end.checksum = try checked(end.sequence, environment, tables).checksum }
        return LMDBActionLog(
            environment: environment, tables: tables, directory: directory, lock: nil, head: end,
            base: base, redactions: redactions, damage: damage)
    }

    /// Opens a log read-only after checking its ends; damage in the middle is found on reading.
    ///
    /// Takes no lock, so a daemon may be running; its later appends are not visible. Throws `noLog`, and damage at the ends.
    public static func openBeside(
        directory: String, configuration: LogConfiguration = LogConfiguration()
    ) throws(ActionLogError) -> LMDBActionLog {
        let (environment, tables, found, damage) = try lookBesideWriter(directory, configuration)
        if let damage { throw damage }
        guard let opened = found else { throw .damaged(sequence: 0, what: "there are no tables") }
        return LMDBActionLog(
            environment: environment, tables: tables, directory: directory, lock: nil,
            head: opened.head, base: opened.base, redactions: opened.redactions, place: opened.place)
    }

    private static func lookBesideWriter(
        _ directory: String, _ configuration: LogConfiguration
    ) throws(ActionLogError) -> (Environment, Tables, Opened?, ActionLogError?) {
        try requireLog(in: directory)
        try requireSafePlace(directory)
        let environment = try openBesideWriter(directory, configuration)
        guard let tables = try tables(environment) else { throw .damaged(sequence: 0, what: "there are no tables") }
        let (opened, damage) = try lookAtEnds(of: environment, tables, in: directory)
        return (environment, tables, opened, damage)
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
    static func lookAtEnds(
        of environment: Environment, _ tables: Tables, in directory: String
    ) throws(ActionLogError) -> (Opened?, ActionLogError?) {
        var looks = 0
        while true {
            looks += 1
            var opened: Opened?
            do throws(ActionLogError) {
                opened = try existing(environment)
                guard let opened else { return (nil, nil) }
                try checkEnds(environment, tables, opened, in: directory)
                return (opened, nil)
            } catch {
                guard error.isDamage else { throw error }
                let now = try? existing(environment)
                guard looks < looksMax, let now, now.head != opened?.head else { return (opened, error) }
            }
        }
    }
}
