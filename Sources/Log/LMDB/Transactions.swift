internal import CLMDB

/// One unchanging view of the environment, lent to a closure.
///
/// It cannot be copied, kept or sent, so nothing outlives the closure or its thread. Spans that it lends are the map
/// itself, without a copy.
public struct ReadTransaction: ~Copyable {
    let handle: OpaquePointer

    // Committing a view changes nothing, but keeps the tables that were opened in it.
    deinit { mdb_txn_commit(handle) }

    /// Opens a table that exists; `nil` when there is none of this name.
    public borrowing func table(_ name: String, keys: Table.Keys) throws(LMDBError) -> Table? {
        try openTable(handle, name, flags: keys.flags)
    }

    /// Lends the value of a key; `nil` when there is none.
    public borrowing func get<Value>(
        _ key: RawSpan, in table: Table, _ body: (RawSpan) -> Value
    ) throws(LMDBError) -> Value? {
        try lookup(handle, key, table) { (value) throws(LMDBError) in body(value) }
    }

    /// Lends the value of a key to a closure that can fail; `nil` when there is none.
    public borrowing func get<Value, Failure: LMDBFailure>(
        _ key: RawSpan, in table: Table, _ body: (RawSpan) throws(Failure) -> Value
    ) throws(Failure) -> Value? {
        try lookup(handle, key, table, body)
    }

    /// Lends the value of an integer key to a closure that can fail; `nil` when there is none.
    public borrowing func get<Value, Failure: LMDBFailure>(
        _ key: UInt64, in table: Table, _ body: (RawSpan) throws(Failure) -> Value
    ) throws(Failure) -> Value? {
        try lookup(handle, key, table, body)
    }

    /// Lends the rows of a table, from the first at or after a key on, until the closure gives `false`.
    public borrowing func eachRow<Failure: LMDBFailure>(
        of table: Table, from key: [UInt8], _ body: (RawSpan, RawSpan) throws(Failure) -> Bool
    ) throws(Failure) {
        try withCursor(table) { (cursor: borrowing Cursor) throws(Failure) in try cursor.each(from: key, body) }
    }

    /// Lends the value of an integer key; `nil` when there is none.
    public borrowing func get<Value>(
        _ key: UInt64, in table: Table, _ body: (RawSpan) -> Value
    ) throws(LMDBError) -> Value? {
        try lookup(handle, key, table) { (value) throws(LMDBError) in body(value) }
    }

    /// How many rows a table has.
    public borrowing func count(_ table: Table) throws(LMDBError) -> Int {
        var statistics = MDB_stat()
        try check(mdb_stat(handle, table.identifier, &statistics))
        return statistics.ms_entries
    }

    /// How many pages were freed by former changes and wait to be used again.
    public borrowing func freePages() throws(LMDBError) -> Int {
        // Table 0 is LMDB's own list; each value is a count and then as many page numbers, each a machine word.
        let freeList = Table(identifier: 0)
        var pages = 0
        try withCursor(freeList) { (cursor: borrowing Cursor) throws(LMDBError) in
            var more: Void? = try cursor.first { _, value in pages += Int(value.unsafeLoadUnaligned(as: UInt.self)) }
            while more != nil {
                more = try cursor.next { _, value in pages += Int(value.unsafeLoadUnaligned(as: UInt.self)) }
            }
        }
        return pages
    }

    /// Lends a cursor over a table.
    public borrowing func withCursor<Value: ~Copyable, Failure: LMDBFailure>(
        _ table: Table, _ body: (borrowing Cursor) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try body(try opened(as: Failure.self) { () throws(LMDBError) in try Cursor(handle, table) })
    }

    /// Lends the rows of a table with integer keys, from a key on, until the closure gives `false`.
    ///
    /// Throws `corruption` when a key has another size. What it gives can be handed to `Environment.giveBack`.
    @discardableResult
    public borrowing func scan(
        _ table: Table, from first: UInt64, _ body: (UInt64, RawSpan) -> Bool
    ) throws(LMDBError) -> TouchedPages {
        let cursor = try Cursor(handle, table)
        return try cursor.scan(from: first, body)
    }
}

/// Makes the error of LMDB one of the caller's kind.
func opened<Value: ~Copyable, Failure: LMDBFailure>(
    as failure: Failure.Type, _ body: () throws(LMDBError) -> Value
) throws(Failure) -> Value {
    do { return try body() } catch { throw Failure(error) }
}

func openTable(_ transaction: OpaquePointer, _ name: String, flags: UInt32) throws(LMDBError) -> Table? {
    var identifier: MDB_dbi = 0
    guard try found(mdb_dbi_open(transaction, name, flags, &identifier)) else { return nil }
    return Table(identifier: identifier)
}

func lookup<Value, Failure: LMDBFailure>(
    _ transaction: OpaquePointer, _ key: RawSpan, _ table: Table, _ body: (RawSpan) throws(Failure) -> Value
) throws(Failure) -> Value? {
    var value = MDB_val()
    let code = withValue(key) { mdb_get(transaction, table.identifier, &$0, &value) }
    guard try opened(as: Failure.self, { () throws(LMDBError) in try found(code) }) else { return nil }
    return try body(value.buffer.bytes)
}

func lookup<Value, Failure: LMDBFailure>(
    _ transaction: OpaquePointer, _ key: UInt64, _ table: Table, _ body: (RawSpan) throws(Failure) -> Value
) throws(Failure) -> Value? {
    var value = MDB_val()
    let code = withKey(key) { mdb_get(transaction, table.identifier, &$0, &value) }
    guard try opened(as: Failure.self, { () throws(LMDBError) in try found(code) }) else { return nil }
    return try body(value.buffer.bytes)
}

// Lent to one closure on one thread.
@available(*, unavailable)
extension ReadTransaction: Sendable {}

/// The one change of the environment that can be under way, lent to a closure.
///
/// What the closure does is committed as a whole when it returns, and dropped when it throws. LMDB's writer belongs to a
/// thread, so the closure is synchronous. Spans that it lends are valid until its next change.
public struct WriteTransaction: ~Copyable {
    let handle: OpaquePointer

    deinit { mdb_txn_abort(handle) }

    // LMDB frees a transaction even when its commit fails, so nothing may touch the handle afterwards.
    consuming func commit() throws(LMDBError) {
        let handle = handle
        discard self
        try check(mdb_txn_commit(handle))
    }

    /// Opens a table, and creates it where there is none.
    public borrowing func table(_ name: String, keys: Table.Keys) throws(LMDBError) -> Table {
        guard let table = try openTable(handle, name, flags: keys.flags | UInt32(MDB_CREATE)) else {
            throw .other(MDB_NOTFOUND)
        }
        return table
    }

    /// Lends a cursor over a table.
    public borrowing func withCursor<Value: ~Copyable, Failure: LMDBFailure>(
        _ table: Table, _ body: (borrowing Cursor) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try body(try opened(as: Failure.self) { () throws(LMDBError) in try Cursor(handle, table) })
    }

    /// Sets the value of a key.
    public borrowing func put(_ key: RawSpan, _ value: RawSpan, in table: Table) throws(LMDBError) {
        try withValue(key) { (key) throws(LMDBError) in try put(&key, value, table, 0) }
    }

    /// Sets the value of an integer key.
    public borrowing func put(_ key: UInt64, _ value: RawSpan, in table: Table) throws(LMDBError) {
        try withKey(key) { (key) throws(LMDBError) in try put(&key, value, table, 0) }
    }

    /// Sets the value of a key to `byteCount` bytes, which the closure passes in pieces.
    public borrowing func put(
        _ key: RawSpan, byteCount: Int, in table: Table, _ pieces: ((RawSpan) -> Void) -> Void
    ) throws(LMDBError) {
        var value = MDB_val(mv_size: byteCount, mv_data: nil)
        try check(withValue(key) { mdb_put(handle, table.identifier, &$0, &value, UInt32(MDB_RESERVE)) })
        var rest = UnsafeMutableRawBufferPointer(start: value.mv_data, count: byteCount)[...]
        pieces { piece in
            piece.withUnsafeBytes { UnsafeMutableRawBufferPointer(rebasing: rest).copyMemory(from: $0) }
            rest = rest.dropFirst(piece.byteCount)
        }
        precondition(rest.isEmpty, "the pieces must have byteCount bytes in total")
    }

    /// Adds a row whose key must be new; throws `keyExists` otherwise.
    public borrowing func insert(_ key: RawSpan, _ value: RawSpan, in table: Table) throws(LMDBError) {
        try withValue(key) { (key) throws(LMDBError) in try put(&key, value, table, UInt32(MDB_NOOVERWRITE)) }
    }

    /// Adds a row behind all others; throws `keyExists` when its key is not above the last one.
    public borrowing func append(_ key: UInt64, _ value: RawSpan, in table: Table) throws(LMDBError) {
        try withKey(key) { (key) throws(LMDBError) in try put(&key, value, table, UInt32(MDB_APPEND)) }
    }

    /// Removes a row; `false` when there is none.
    @discardableResult
    public borrowing func delete(_ key: RawSpan, in table: Table) throws(LMDBError) -> Bool {
        try found(withValue(key) { mdb_del(handle, table.identifier, &$0, nil) })
    }

    /// Removes the row of an integer key; `false` when there is none.
    @discardableResult
    public borrowing func delete(_ key: UInt64, in table: Table) throws(LMDBError) -> Bool {
        try found(withKey(key) { mdb_del(handle, table.identifier, &$0, nil) })
    }

    private borrowing func put(
        _ key: inout MDB_val, _ value: RawSpan, _ table: Table, _ flags: UInt32
    ) throws(LMDBError) {
        let code = value.withUnsafeBytes { buffer in
            var value = MDB_val(mv_size: buffer.count, mv_data: UnsafeMutableRawPointer(mutating: buffer.baseAddress))
            return mdb_put(handle, table.identifier, &key, &value, flags)
        }
        try check(code)
    }
}

// Lent to one closure on one thread.
@available(*, unavailable)
extension WriteTransaction: Sendable {}

/// One table of an environment; opened once, in a write or read transaction, and valid for the environment's life.
public struct Table: Sendable, Equatable {
    /// What the keys of a table are.
    public enum Keys: Sendable {
        /// Bytes, in their lexical order.
        case bytes
        /// 64-bit integers in the machine's own byte order, in numerical order.
        case integers

        var flags: UInt32 {
            switch self {
            case .bytes: 0
            case .integers: UInt32(MDB_INTEGERKEY)
            }
        }
    }

    let identifier: MDB_dbi
}
