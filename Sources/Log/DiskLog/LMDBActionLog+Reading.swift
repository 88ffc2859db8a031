public import ChronicleLog
internal import ChronicleValues
public import LMDB
internal import Synchronization

extension LMDBActionLog {
    public func walk(
        _ start: RecordWalk, _ body: (RawSpan, RecordCheck, UInt64) throws(ActionLogError) -> Bool
    ) throws(ActionLogError) -> UInt64 {
        var walk = start
        var touched = TouchedPages()
        let last = readable
        let contents = contents
        let environment = contents.environment
        try walk.begin(behind: contents.base, through: last)
        while !walk.isDone {
            do {
                try environment.read { (transaction) throws(LMDBError) in
                    walk.beginView()
                    if walk.isLinked, walk.previous == nil { link(&walk, transaction) }
                    if walk.isDone { return }
                    let pages = try transaction.scan(tables.records, from: walk.next) { sequence, value in
                        walk.take(sequence, value) { (check, sequence) throws(ActionLogError) in
                            try body(value, check, sequence)
                        }
                    }
                    touched.formUnion(pages)
                    walk.endView()
                }
            } catch {
                throw ActionLogError(reading: error, sequence: walk.next)
            }
            // Otherwise the pages of a long scan would count as resident memory.
            if touched.byteCount > Self.touchedBytesMax { environment.giveBack(&touched) }
        }
        if let error = walk.error { throw error }
        return walk.next
    }

    private static let touchedBytesMax = 256 << 10

    // The first record of a walk is checked against the one before it.
    private func link(_ walk: inout RecordWalk, _ transaction: borrowing ReadTransaction) {
        let before = walk.next - 1
        do throws(ActionLogError) {
            walk.previous = try tables.check(before, transaction).checksum
        } catch {
            walk.fail(error)
        }
    }

    public func key(_ key: String, of uid: UInt32) throws(ActionLogError) -> KeyRow? {
        let (isNew, isKnown, commits) = position.withLock {
            ($0.newestKeys.isNew(key, of: uid), $0.newestKeys.knows(uid), $0.newestKeys.commits)
        }
        if isNew { return nil }
        if !isKnown, lock != nil {
            let newest = try newestKey(of: uid)
            position.withLock { $0.newestKeys.learn(newest, of: uid, after: commits) }
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(4 + RowKey.keyBytesMax)
        try RowKey.append(key, of: uid, to: &bytes)
        let found = try environment.read { (transaction) throws(ActionLogError) in
            try transaction.get(bytes.span.bytes, in: tables.keys) { (value) throws(ActionLogError) in
                try KeyRow(value, key: bytes.span.bytes)
            }
        }
        guard let row = found else { return nil }
        // A log opened up to its damage ignores later rows.
        return damage != nil && row.last > head.sequence ? nil : row
    }

    private func newestKey(of uid: UInt32) throws(ActionLogError) -> [UInt8] {
        var end: [UInt8] = []
        // Seeks past the uid's keys: to the next uid or, for the largest uid, to the largest possible key.
        end.append(bigEndian: uid == .max ? uid : uid + 1)
        if uid == .max { end += Array(repeating: 0xFF, count: RowKey.keyBytesMax) }
        let keep: (RawSpan, RawSpan) -> [UInt8] = { key, _ in
            guard RowKey.uid(key) == uid else { return [] }
            return (4..<key.byteCount).map { key.unsafeLoadUnaligned(fromByteOffset: $0, as: UInt8.self) }
        }
        return try environment.read { (transaction) throws(ActionLogError) in
            do throws(LMDBError) {
                return try transaction.withCursor(tables.keys) { (cursor) throws(LMDBError) in
                    let isBehind = try cursor.seek(end.span.bytes) { _, _ in true } ?? false
                    return (isBehind ? try cursor.previous(keep) : try cursor.last(keep)) ?? []
                }
            } catch {
                throw ActionLogError(error)
            }
        }
    }

    public func openCommands() throws(ActionLogError) -> (rows: [OutboxRow], last: UInt64) {
        let (rows, head) = try environment.read { (transaction) throws(ActionLogError) in
            let head = damage == nil ? try tables.head(transaction) : self.head
            return (try openCommands(transaction, head), head)
        }
        guard damage == nil else { return (rows.filter { $0.id.sequence <= head.sequence }, head.sequence) }
        position.withLock { $0.told = max($0.told, head.sequence) }
        return (rows, head.sequence)
    }

    private func openCommands(
        _ transaction: borrowing ReadTransaction, _ head: Head
    ) throws(ActionLogError) -> [OutboxRow] {
        var rows: [OutboxRow] = []
        do throws(ActionLogError) {
            try transaction.eachRow(of: tables.outbox, from: []) { (key, value) throws(ActionLogError) in
                rows.append(try OutboxRow(value, key: key, heldThrough: head.heldThrough))
                return true
            }
        } catch {
            guard damage != nil else { throw error }
        }
        return rows
    }

    public func bookmarks(named name: String?) throws(ActionLogError) -> [BookmarkRow] {
        if let name, !(1...Bookmark.nameBytesMax).contains(name.utf8.count) { return [] }
        var start = RowKey.bookmark
        if let name {
            start = []
            RowKey.append(bookmark: name, to: &start)
        }
        var rows: [BookmarkRow] = []
        do throws(ActionLogError) {
            try environment.read { (transaction) throws(ActionLogError) in
                try transaction.eachRow(of: tables.meta, from: start) { (key, value) throws(ActionLogError) in
                    guard let found = RowKey.bookmarkName(key), name?.hasSameBytes(as: found) ?? true else { return false }
                    rows.append(try BookmarkRow(value, key: key))
                    return name == nil
                }
            }
        } catch {
            guard damage != nil else { throw error }
        }
        return damage == nil ? rows : rows.filter { $0.record <= head.sequence }
    }

    public func keys(
        after place: KeyPlace?, rowsMax: Int, _ body: (KeyPlace, KeyRow) -> Void
    ) throws(ActionLogError) -> KeyPlace? {
        var start: [UInt8] = []
        if let place { try RowKey.append(place.key, of: place.uid, to: &start) }
        // The smallest larger key.
        start.append(0)
        var last: KeyPlace?
        var left = rowsMax
        guard rowsMax > 0 else { return nil }
        try environment.read { (transaction) throws(ActionLogError) in
            try transaction.eachRow(of: tables.keys, from: start) { (key, value) throws(ActionLogError) in
                let place = try KeyPlace(key)
                body(place, try KeyRow(value, key: key))
                last = place
                left -= 1
                return left > 0
            }
        }
        return left > 0 ? nil : last
    }
}

extension ActionLogError: LMDBFailure {
    public init(_ error: LMDBError) { self.init(reading: error, sequence: 0) }

    /// Adds the sequence of a record to an error of LMDB without one.
    func about(_ sequence: UInt64) -> ActionLogError {
        guard case .damaged(0, let what) = self else { return self }
        return .damaged(sequence: sequence, what: what)
    }
}

extension ReadTransaction {
    borrowing func row<Value: CanonicalCodable>(
        _ key: [UInt8], in table: Table, as type: Value.Type, of name: @autoclosure () -> String
    ) throws(ActionLogError) -> Value? {
        try get(key.span.bytes, in: table) { (value) throws(ActionLogError) in
            try Row.open(value, key: key.span.bytes, as: type, sequence: 0, of: name())
        }
    }
}

/// The largest key of each uid, for at most `uidsMax` uids: clients' keys begin with the time, so a new one is larger and needs
/// no look-up.
struct KeyCache {
    static let uidsMax = 64

    private var keys: [UInt32: [UInt8]] = [:]
    /// Number of commits; a table read before the last one is out of date.
    private(set) var commits: UInt64 = 0

    /// Whether a key is known to be new; `false` says nothing.
    func isNew(_ key: String, of uid: UInt32) -> Bool {
        guard let newest = keys[uid] else { return false }
        return newest.span.precedes(key.utf8Span.span)
    }

    func knows(_ uid: UInt32) -> Bool { keys[uid] != nil }

    /// Records the largest key of a uid, read after `commits` commits; empty if it has none.
    mutating func learn(_ key: [UInt8], of uid: UInt32, after commits: UInt64) {
        guard commits == self.commits else { return }
        if keys.count >= Self.uidsMax { keys = [:] }
        keys[uid] = key
    }

    mutating func forget() {
        keys = [:]
        commits += 1
    }

    mutating func committed(_ row: Span<UInt8>) {
        guard row.count > 4 else { return }
        commits += 1
        let uid = (0..<4).reduce(UInt32(0)) { $0 << 8 | UInt32(row[$1]) }
        let key = row.extracting(4..<row.count)
        guard let newest = keys[uid], newest.span.precedes(key) else { return }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(key.count)
        for index in key.indices { bytes.append(key[index]) }
        keys[uid] = bytes
    }
}

extension Span<UInt8> {
    fileprivate func precedes(_ other: Span<UInt8>) -> Bool {
        for index in 0..<Swift.min(count, other.count) where self[index] != other[index] { return self[index] < other[index] }
        return count < other.count
    }
}

extension WriteTransaction {
    /// Sets the row of a key.
    borrowing func put(_ value: some CanonicalCodable, key: [UInt8], in table: Table) throws(LMDBError) {
        let row = Row.sealed(value, key: key)
        try put(key.span.bytes, row.span.bytes, in: table)
    }
}

extension Environment {
    static var pieceBytesMax: Int { 16 << 20 }

    /// Reads the rows of a table in pieces of about `pieceBytesMax`, each in a transaction of its own.
    func eachPiece<Failure: LMDBFailure>(
        of table: Table, _ body: ([(key: [UInt8], value: [UInt8])]) throws(Failure) -> Void
    ) throws(Failure) {
        var start: [UInt8] = []
        while true {
            var piece: [(key: [UInt8], value: [UInt8])] = []
            var bytes = 0
            try read { (transaction) throws(Failure) in
                try transaction.eachRow(of: table, from: start) { (key, value) throws(Failure) in
                    piece.append(([UInt8](key), [UInt8](value)))
                    bytes += key.byteCount + value.byteCount
                    return bytes < Self.pieceBytesMax
                }
            }
            guard let last = piece.last else { return }
            try body(piece)
            start = last.key + [0]
        }
    }
}
