internal import ChronicleLog
internal import ChronicleValues
internal import Glibc
internal import LMDB

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
    private let tables: LMDBActionLog.Tables
    /// The last copied record.
    private var through: UInt64

    /// Creates an environment with empty tables.
    init(directory: String, like old: Environment, _ tables: LMDBActionLog.Tables, _ base: BaseRow) throws(LMDBError) {
        environment = try Environment(directory: directory, options: EnvironmentOptions(mapBytes: old.usage.mapBytes))
        let made = try environment.write { (transaction) throws(LMDBError) in try LMDBActionLog.tables(transaction) }
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
        try old.read { (transaction) throws(LMDBError) in
            for sequence in meanwhile.redacted where sequence <= copied {
                if let value = try transaction.get(sequence, in: tables.records, { [UInt8]($0) }) {
                    records.append((sequence, value))
                }
            }
            for key in meanwhile.keys {
                if let value = try transaction.get(key.span.bytes, in: tables.keys, { [UInt8]($0) }) { rows.append((key, value)) }
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
