public import ChronicleLog
public import ChronicleValues
internal import Glibc
internal import LMDB
internal import Synchronization

extension LMDBActionLog {
    /// Maximum number of keys added while the log is copied; they are held in memory.
    public static let keysMeanwhileMax = 1_000_000

    private static let catchingUpCount = 3
    private var compactedDirectory: String { "\(directory)/compacted.new" }

    /// Starts to track changes of the log, so that a concurrent copy can catch up.
    ///
    /// The caller must call `endCompaction` afterwards. Throws `contradiction` during another compaction.
    public func beginCompaction() throws(ActionLogError) {
        guard lock != nil else { throw .notPermitted(what: "the log is open read-only") }
        try position.withLock { (position) throws(ActionLogError) in
            guard position.meanwhile == nil else {
                throw .contradiction(what: "a compaction is already running: try again when it has ended")
            }
            position.meanwhile = CompactedCopy.ConcurrentChanges()
        }
    }

    /// Ends a compaction, successful or not, and removes its temporary files.
    public func endCompaction() {
        Directory.remove(compactedDirectory)
        // Closing a large environment takes long, so it is closed outside the lock. Only then may another compaction begin.
        let replaced = position.withLock { position in
            defer { position.replaced = nil }
            return position.replaced
        }
        withExtendedLifetime(replaced) {}
        position.withLock { $0.meanwhile = nil }
    }

    /// Copies the log, with a base instead of the records up to it, while the log is in use.
    ///
    /// Throws `contradiction` if the base is not a record of this log, or if a record up to it was redacted since `beginCompaction`, and
    /// `storageFull`.
    ///
    /// - Parameters:
    ///   - state: the state after the record of the base.
    ///   - told: the rows that the records up to the base determine, without the keys.
    ///   - isKept: decides about the rows of keys without a record after the base.
    public func compactedCopy(
        after base: Base, state: some CanonicalCodable, telling told: CompactionSummary, keeping isKept: (KeyRow) -> Bool
    ) throws(ActionLogError) -> CompactedCopy {
        guard base.sequence >= first, base.sequence <= head.sequence, try checksum(of: base.sequence) == base.checksum else {
            throw .contradiction(what: "the log can't begin after record \(base.sequence)")
        }
        Directory.remove(compactedDirectory)
        try Directory.create(compactedDirectory)
        // The copy reads the table from now on, so it finds the keys added so far.
        position.withLock { $0.meanwhile?.keys = [] }
        var compactedCopy = try copying { () throws(LMDBError) in
            var compactedCopy = try CompactedCopy(
                directory: compactedDirectory, like: environment, tables, BaseRow(base: base, state: [], kept: told))
            try compactedCopy.copyRecords(from: environment)
            var (kept, droppedKeys) = (RowTally(), 0)
            try compactedCopy.copyRows(of: tables.keys, from: environment) { key, value in
                guard
                    let row = try? Row.open(
                        value.span.bytes, key: key.span.bytes, as: KeyRow.self, sequence: 0, of: "the row of a key")
                else { return true }
                if row.last > base.sequence { return true }
                guard isKept(row) else {
                    droppedKeys += 1
                    return false
                }
                if row.last > 0, let place = RowKey.keyPlace(key.span.bytes) { kept.add(row, at: place) }
                return true
            }
            compactedCopy.base.kept.keys = kept
            compactedCopy.droppedKeys = droppedKeys
            compactedCopy.base.kept.standing?.epoch = head.epoch
            return compactedCopy
        }
        let based = compactedCopy
        try copying { () throws(LMDBError) in try based.putBase(state) }
        // Writers wait for the last catch-up, so leave little for it.
        for _ in 0..<Self.catchingUpCount { try catchUp(&compactedCopy) }
        return compactedCopy
    }

    /// Replaces the log by the copy; call it on the thread of the appends.
    ///
    /// Running reads finish on the old environment. Throws the errors of `compactedCopy`, and `unknownOutcome` if it is unknown which of
    /// the two is on disk.
    public func compact(to compactedCopy: CompactedCopy) throws(ActionLogError) {
        if let failure = position.withLock({ $0.failure }) { throw failure }
        let identity = try Self.meta(environment, tables, RowKey.identity, as: LogIdentity.self, of: "the header row")
        var compactedCopy = compactedCopy
        try catchUp(&compactedCopy)
        let whole = compactedCopy
        try copying { () throws(LMDBError) in
            try whole.copyRows(of: tables.outbox, from: environment)
            try whole.copyRows(of: tables.meta, from: environment) { key, _ in key != RowKey.identity && key != RowKey.base }
            try whole.seal(identity)
        }
        try checkCounts(of: whole)
        let exchange = LogExchange(in: directory)
        try exchange.prepare(compactedDirectory)
        do throws(ActionLogError) { try exchange.begin(whole.environment.inode) } catch {
            if case .unknownOutcome = error { position.withLock { $0.failure = error } }
            throw error
        }
        let replaced = environment
        position.withLock { position in
            position.newestKeys.forget()
            position.replaced = replaced
        }
        current.withLock { $0 = Contents(environment: whole.environment, base: whole.base.base) }
        do throws(ActionLogError) {
            try exchange.finish()
            try Directory.synchronise(directory)
        } catch {
            let failure = ActionLogError.unknownOutcome(what: error.description)
            position.withLock { $0.failure = failure }
            throw failure
        }
        // A file `head` written before the compaction is still valid.
        try? anchor()
    }

    /// Throws `contradiction` if the copy has fewer records or rows than expected.
    private func checkCounts(of copy: CompactedCopy) throws(ActionLogError) {
        func count(_ table: Table, in environment: Environment) throws(ActionLogError) -> Int {
            try copying { () throws(LMDBError) in
                try environment.read { (transaction) throws(LMDBError) in try transaction.count(table) }
            }
        }
        // The copy has one row more if the log has no base yet.
        let (records, rows) = (Int(copy.base.base.sequence - (base?.sequence ?? 0)), base == nil ? -1 : 0)
        for (table, dropped) in [
            (tables.records, records), (tables.keys, copy.droppedKeys), (tables.outbox, 0), (tables.meta, rows),
        ] {
            let (kept, made) = (try count(table, in: environment) - dropped, try count(table, in: copy.environment))
            guard made >= kept else {
                throw .contradiction(
                    what: "a table of the compacted copy has \(made) rows, expected \(kept): compact the log again")
            }
        }
    }

    private func catchUp(_ compactedCopy: inout CompactedCopy) throws(ActionLogError) {
        let meanwhile = position.withLock { position in
            let meanwhile = position.meanwhile
            if meanwhile != nil { position.meanwhile = CompactedCopy.ConcurrentChanges() }
            return meanwhile
        }
        guard let meanwhile else { throw .contradiction(what: "no compaction was started") }
        if let redacted = meanwhile.redacted.first(where: { $0 <= compactedCopy.base.base.sequence }) {
            throw .contradiction(what: "record \(redacted) was redacted during the compaction: compact the log again")
        }
        guard meanwhile.keys.count <= Self.keysMeanwhileMax else {
            throw .contradiction(
                what: "too much was dispatched during the compaction: compact the log when there are fewer changes")
        }
        var copy = compactedCopy
        try copying { () throws(LMDBError) in try copy.catchUp(with: environment, meanwhile) }
        compactedCopy = copy
    }

    private func copying<Value>(_ body: () throws(LMDBError) -> Value) throws(ActionLogError) -> Value {
        do { return try body() } catch { throw ActionLogError(copying: error, to: compactedDirectory, environment) }
    }
}

extension ActionLogError {
    /// The error of a complete or partial copy of an environment to a directory.
    init(copying error: LMDBError, to directory: String, _ environment: Environment) {
        self =
            switch error {
            case .mapFull: .storageFull(.map, message: FreeSpace.mapMessage(mapBytes: environment.usage.mapBytes))
            case .diskFull: .storageFull(.disk, message: "the disk is full: \(directory) can't be written")
            // LMDB takes a short write for an I/O error.
            case .io(EIO) where (FileSystem.freeBytes(directory) ?? .max) < Environment.pieceBytesMax * 2:
                .storageFull(.disk, message: "the disk is full: \(directory) can't be written")
            case .io(ECANCELED): .contradiction(what: "the compaction was cancelled")
            case .io(let code): Directory.error("writing \(directory)", code)
            default: ActionLogError(reading: error, sequence: 0)
            }
    }
}
