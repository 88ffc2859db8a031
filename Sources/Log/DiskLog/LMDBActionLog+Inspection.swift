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

    /// Reads the header row, the head row, the last record and the file `head` again.
    public func checkFiles() throws(ActionLogError) {
        let (opened, damage) = try Self.lookAtEnds(of: environment, tables, in: directory)
        if let damage { throw damage }
        guard opened != nil else { throw .damaged(sequence: 0, what: "there are no tables") }
    }

    /// Compares the head row with the last record and with the file `head`.
    static func checkEnds(
        _ environment: Environment, _ tables: Tables, _ opened: Opened, in directory: String
    ) throws(ActionLogError) {
        try checkEnd(environment, tables, opened.head, opened.base)
        do throws(ActionLogError) {
            try checkAnchor(directory, environment, tables, opened.head, opened.base)
        } catch {
            // The file may belong to the environment that has replaced this one.
            if LogExchange(in: directory).files.data == environment.inode { throw error }
        }
    }

    // The head row and the last record are written together; if they differ, one is damaged.
    static func checkEnd(
        _ environment: Environment, _ tables: Tables, _ head: Head, _ base: Base?
    ) throws(ActionLogError) {
        let last = try lastSequence(of: environment, tables, about: head.sequence)
        let end = last ?? base?.sequence ?? 0
        guard end == head.sequence else {
            throw .damaged(
                sequence: min(end, head.sequence) + 1, what: "the log ends at \(end), but its head says \(head.sequence)")
        }
        guard head.sequence > 0 else { return }
        if let base, head.sequence == base.sequence {
            guard head.checksum == base.checksum, head.time == base.time else {
                throw .damaged(sequence: head.sequence, what: "the head row names a different record than the base")
            }
            return
        }
        let check = try checked(head.sequence, environment, tables)
        guard check.checksum == head.checksum, check.fields.time == head.time else {
            throw .damaged(sequence: head.sequence, what: "the head row names a different record")
        }
    }

    static func lastSequence(
        of environment: Environment, _ tables: Tables, about sequence: UInt64
    ) throws(ActionLogError) -> UInt64? {
        do throws(LMDBError) {
            return try environment.read { (transaction) throws(LMDBError) in
                try transaction.withCursor(tables.records) { (cursor) throws(LMDBError) in
                    try cursor.last { key, _ in key.byteCount == 8 ? key.unsafeLoadUnaligned(as: UInt64.self) : 0 }
                }
            }
        } catch {
            throw ActionLogError(reading: error, sequence: sequence)
        }
    }

    // The file `head` was true when written: the log may be longer now, but not shorter or different.
    static func checkAnchor(
        _ directory: String, _ environment: Environment, _ tables: Tables, _ head: Head, _ base: Base?
    ) throws(ActionLogError) {
        let path = "\(directory)/\(headFile)"
        guard let bytes = SmallFile.bytes(path) else {
            guard errno == ENOENT else { throw Directory.error("reading \(path)", errno) }
            return
        }
        let key = RowKey.head
        let anchor = try Row.open(
            bytes.span.bytes, key: key.span.bytes, as: Head.self, sequence: 0,
            of: "the file \(path), which can be removed if the log is known to be complete")
        guard anchor.storeID == head.storeID else {
            throw .damaged(sequence: 0, what: "the file \(path) belongs to another log")
        }
        guard anchor.sequence <= head.sequence else {
            throw .damaged(
                sequence: head.sequence + 1, what: "the log ends at \(head.sequence), but it had reached \(anchor.sequence)")
        }
        guard anchor.sequence > base?.sequence ?? 0 else { return }
        guard try checked(anchor.sequence, environment, tables).checksum == anchor.checksum else {
            throw .damaged(sequence: anchor.sequence, what: "the record differs from the one that the file \(path) names")
        }
    }

    static func checked(
        _ sequence: UInt64, _ environment: Environment, _ tables: Tables
    ) throws(ActionLogError) -> (checksum: UInt64, fields: HeaderFields) {
        do throws(ActionLogError) {
            return try environment.read { (transaction) throws(ActionLogError) in try check(sequence, transaction, tables) }
        } catch {
            throw error.about(sequence)
        }
    }

    static func check(
        _ sequence: UInt64, _ transaction: borrowing ReadTransaction, _ tables: Tables
    ) throws(ActionLogError) -> (checksum: UInt64, fields: HeaderFields) {
        let found: (UInt64, HeaderFields)?
        do throws(ActionLogError) {
            found = try transaction.get(sequence, in: tables.records) { (value) throws(ActionLogError) in
                let check = try RecordCheck(value, sequence: sequence)
                return (check.checksum, try check.fields(value, sequence: sequence))
            }
        } catch {
            throw error.about(sequence)
        }
        guard let found else { throw .damaged(sequence: sequence, what: "the record is missing") }
        return found
    }
}
