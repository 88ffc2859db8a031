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
        try checkWritable()
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
                guard let row = try? KeyRow(value.span.bytes, key: key.span.bytes) else { return true }
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
        let identity = try database.identity()
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
        try? writeAnchor()
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

/// A copy of the part of a log that remains after a compaction, made while the log is in use.
public struct CompactedCopy: Sendable {
    /// Changes of a log during the copy, to be copied afterwards.
    struct ConcurrentChanges {
        var keys: [[UInt8]] = []
        var redacted: [UInt64] = []
    }

    let environment: Environment
    /// The base of the copy, without the state, which only `putBase` writes.
    var base: BaseRow
    /// Number of key rows that were not copied.
    var droppedKeys = 0
    private let tables: Tables
    /// The last copied record.
    private var through: UInt64

    /// Creates an environment with empty tables.
    init(directory: String, like old: Environment, _ tables: Tables, _ base: BaseRow) throws(LMDBError) {
        environment = try Environment(directory: directory, options: EnvironmentOptions(mapBytes: old.usage.mapBytes))
        let made = try environment.write { (transaction) throws(LMDBError) in try Tables(transaction) }
        // All methods use the table handles of the old environment.
        precondition(made == tables, "the tables of two environments are opened in the same order")
        self.tables = tables
        self.base = base
        through = base.base.sequence
    }

    // A partial copy must not replace the log.
    private static func checkCancellation() throws(LMDBError) {
        if Task.isCancelled { throw .io(ECANCELED) }
    }

    /// Copies the remaining records; throws `io(ECANCELED)` if the task is cancelled.
    mutating func copyRecords(from old: Environment) throws(LMDBError) {
        while true {
            try Self.checkCancellation()
            var piece: [(UInt64, [UInt8])] = []
            var bytes = 0
            try old.read { (transaction) throws(LMDBError) in
                _ = try transaction.scan(tables.records, from: through + 1) { sequence, value in
                    piece.append((sequence, [UInt8](value)))
                    bytes += value.byteCount
                    return bytes < Environment.pieceBytesMax
                }
            }
            guard let last = piece.last else { return }
            let records = piece
            try environment.write { (transaction) throws(LMDBError) in
                for (sequence, value) in records { try transaction.append(sequence, value.span.bytes, in: tables.records) }
            }
            through = last.0
        }
    }

    /// Copies the rows of a table; throws `io(ECANCELED)` if the task is cancelled.
    func copyRows(
        of table: Table, from old: Environment, where isKept: ([UInt8], [UInt8]) -> Bool = { _, _ in true }
    ) throws(LMDBError) {
        try old.eachPiece(of: table) { (piece) throws(LMDBError) in
            try Self.checkCancellation()
            let rows = piece.filter { isKept($0.key, $0.value) }
            try environment.write { (transaction) throws(LMDBError) in
                for (key, value) in rows { try transaction.put(key.span.bytes, value.span.bytes, in: table) }
            }
        }
    }

    /// Copies the records appended since the last call, and the noted keys and redacted records.
    mutating func catchUp(with old: Environment, _ meanwhile: ConcurrentChanges) throws(LMDBError) {
        let copied = through
        try copyRecords(from: old)
        var (records, rows): ([(UInt64, [UInt8])], [([UInt8], [UInt8])]) = ([], [])
        func bytes(_ value: RawSpan) throws(LMDBError) -> [UInt8] { [UInt8](value) }
        try old.read { (transaction) throws(LMDBError) in
            for sequence in meanwhile.redacted where sequence <= copied {
                if let value = try transaction.get(sequence, in: tables.records, bytes) { records.append((sequence, value)) }
            }
            for key in meanwhile.keys {
                if let value = try transaction.get(key.span.bytes, in: tables.keys, bytes) { rows.append((key, value)) }
            }
        }
        guard !records.isEmpty || !rows.isEmpty else { return }
        let (redacted, keys) = (records, rows)
        try environment.write { (transaction) throws(LMDBError) in
            for (sequence, value) in redacted { try transaction.put(sequence, value.span.bytes, in: tables.records) }
            for (key, value) in keys { try transaction.put(key.span.bytes, value.span.bytes, in: tables.keys) }
        }
    }

    /// Writes the base; its state is encoded in pieces, so that only the transaction contains all of its bytes.
    func putBase(_ state: some CanonicalCodable) throws(LMDBError) {
        var byteCount = 0
        state.forEachPiece { byteCount += $0.count }
        let (key, (before, after)) = (RowKey.base, base.bytes(aroundState: byteCount))
        byteCount += before.count + after.count + Row.checksumBytes
        try environment.write { (transaction) throws(LMDBError) in
            try transaction.put(key.span.bytes, byteCount: byteCount, in: tables.meta) { put in
                var checksum = Row.checksum(key: key)
                func add(_ piece: [UInt8]) {
                    checksum.add(piece)
                    put(piece.span.bytes)
                }
                add(before)
                state.forEachPiece(add)
                add(after)
                var end: [UInt8] = []
                end.append(littleEndian: checksum.value)
                put(end.span.bytes)
            }
        }
    }

    /// Writes the header row, with the inode of the copy, so that opening it does not begin an epoch.
    func seal(_ identity: LogIdentity) throws(LMDBError) {
        var identity = identity
        identity.format = LogIdentity.compactedFormat
        identity.inode = environment.inode
        let sealed = identity
        try environment.write { (transaction) throws(LMDBError) in
            try transaction.put(sealed, key: RowKey.identity, in: tables.meta)
        }
    }
}

/// Replaces the environment of a log with a compacted one: two files, each moved by a rename.
///
/// The second file has the slots of the readers, so the data of one environment must never be used with the readers' file of the
/// other. The new files are in a directory that shows the progress: once its data file is gone, its readers' file belongs to the
/// data in place.
struct LogExchange {
    /// Inode numbers of the files of a log; 0 if a file does not exist, the maximum if unknown.
    struct Files: Equatable {
        var data: UInt64
        var readers: UInt64
        var isHalfway: Bool
    }

    private let directory: String
    private var waiting: String { "\(directory)/exchange\(OutputFile.temporarySuffix)" }

    init(in directory: String) { self.directory = directory }

    func prepare(_ made: String) throws(ActionLogError) {
        abandon()
        try Directory.move(made, to: waiting)
    }

    /// Moves the data file with this inode into place; after any error but `unknownOutcome` nothing has changed.
    func begin(_ data: UInt64) throws(ActionLogError) {
        do throws(ActionLogError) { try move(LMDBActionLog.dataFile) } catch {
            // A failed rename may have taken effect; the inodes show it.
            let (placed, left) = (inode(path(LMDBActionLog.dataFile)), inode("\(waiting)/\(LMDBActionLog.dataFile)"))
            if placed == data, left == 0 { return }
            guard placed != data, left == data else { throw .unknownOutcome(what: error.description) }
            abandon()
            throw error
        }
    }

    /// Moves the readers' file into place, unless another process that opened the log has done so.
    func finish() throws(ActionLogError) {
        guard files.isHalfway else { return }
        do throws(ActionLogError) { try move(LMDBActionLog.readersFile) } catch {
            if files.isHalfway { throw error }
        }
        rmdir(waiting)
    }

    /// Removes an exchange that has not begun; the readers' file first, or the exchange would look half done.
    func abandon() {
        unlink("\(waiting)/\(LMDBActionLog.readersFile)")
        Directory.remove(waiting)
    }

    var files: Files {
        // In this order: if the first two belong to different environments, the third shows it, now or at the next call.
        let (data, readers) = (inode(path(LMDBActionLog.dataFile)), inode(path(LMDBActionLog.readersFile)))
        let isBegun = inode("\(waiting)/\(LMDBActionLog.dataFile)") == 0
        return Files(data: data, readers: readers, isHalfway: isBegun && inode("\(waiting)/\(LMDBActionLog.readersFile)") != 0)
    }

    private func path(_ name: String) -> String { "\(directory)/\(name)" }

    private func move(_ name: String) throws(ActionLogError) { try Directory.move("\(waiting)/\(name)", to: path(name)) }

    private func inode(_ path: String) -> UInt64 {
        var status = stat()
        guard lstat(path, &status) != 0 else { return UInt64(status.st_ino) }
        // No file has this number. After any other error it is unknown whether the file exists.
        return errno == ENOENT ? 0 : .max
    }
}
