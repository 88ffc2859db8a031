public import ChronicleLog
internal import Glibc
internal import LMDB

extension LMDBActionLog {
    /// Opens a log for reading alone, whatever state it is in, and ends it before its first damage.
    ///
    /// Reads the whole log once to find that place; `damage` says what was found there. Takes no lock, so it also works
    /// beside a daemon; what that appends later is not seen, and a compaction that it ends meanwhile is seen whole or not at
    /// all. Changes nothing, but finishes what a compaction left halfway that was cut off. Throws `noLog` where there is none.
    public static func openReadOnly(
        directory: String, configuration: LogConfiguration = LogConfiguration()
    ) throws(ActionLogError) -> LMDBActionLog {
        let (environment, tables, opened, endDamage) = try lookBesideWriter(directory, configuration)
        var damage = endDamage
        let (head, base) = (opened?.head ?? Head(epoch: 0, storeID: ""), opened?.base)
        let redactions = opened?.redactions ?? Redactions()
        // To read through, a log needs an end; behind the last record the scan stops by itself.
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
            // A log whose head is lost ends where its records do; that is said already.
            damage = damage ?? error
        }
        if end.sequence > base?.sequence ?? 0 { end.checksum = try checked(end.sequence, environment, tables).checksum }
        return LMDBActionLog(
            environment: environment, tables: tables, directory: directory, lock: nil, head: end,
            base: base, redactions: redactions, damage: damage)
    }

    /// Opens a log for reading alone, which is whole as far as can be seen at its ends; damage in the middle is found when it is read.
    ///
    /// Takes no lock, so it also works beside a daemon; what that appends later is not seen. Throws `noLog`, and what is wrong at the
    /// ends.
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

    /// Opens what is there, whoever writes to it, and looks at its ends.
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

    /// Throws `noLog` where a directory, or the log in it, is not there, or never held a record.
    static func requireLog(in directory: String) throws(ActionLogError) {
        if isUnused(directory) { throw .noLog(directory: directory) }
    }

    // How often somebody looks again because the log changed meanwhile, and how long a compaction is waited for between two looks.
    private static let looksMax = 1_000
    private static let lookPauseMicroseconds: UInt32 = 1_000

    /// Opens data and readers' file of the same environment: a compaction may just be putting others in their place.
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
        // No writer takes that long.
        try exchange.finish()
        return try openEnvironment(directory, configuration, isReadOnly: true)
    }

    /// What stands beside the records, and where it does not agree with them; a writer may come between two looks.
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
