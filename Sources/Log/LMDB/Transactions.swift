internal import CLMDB

/// A read transaction, confined to a closure and its thread; its spans point into the map, without a copy.
public struct ReadTransaction: ~Copyable {
    let handle: OpaquePointer

    // Committing instead of aborting keeps the tables that were opened in it.
    deinit { mdb_txn_commit(handle) }

    public borrowing func table(_ name: String, keys: Table.Keys) throws(LMDBError) -> Table? {
        try openTable(handle, name, flags: keys.flags)
    }

    public borrowing func get<Value, Failure: LMDBFailure>(
        _ key: RawSpan, in table: Table, _ body: (RawSpan) throws(Failure) -> Value
    ) throws(Failure) -> Value? {
        let handle = handle
        return try found(body) { value in withValue(key) { mdb_get(handle, table.identifier, &$0, &value) } }
    }

    public borrowing func get<Value, Failure: LMDBFailure>(
        _ key: UInt64, in table: Table, _ body: (RawSpan) throws(Failure) -> Value
    ) throws(Failure) -> Value? {
        let handle = handle
        return try found(body) { value in withKey(key) { mdb_get(handle, table.identifier, &$0, &value) } }
    }

    @inline(__always)
    private borrowing func found<Value, Failure: LMDBFailure>(
        _ body: (RawSpan) throws(Failure) -> Value, _ find: (inout MDB_val) -> Int32
    ) throws(Failure) -> Value? {
        var value = MDB_val()
        let code = find(&value)
        guard try opened(as: Failure.self, { () throws(LMDBError) in try hasFound(code) }) else { return nil }
        return try body(value.buffer.bytes)
    }

    /// Passes the rows of a table from a key on to a closure until it returns `false`.
    public borrowing func eachRow<Failure: LMDBFailure>(
        of table: Table, from key: [UInt8], _ body: (RawSpan, RawSpan) throws(Failure) -> Bool
    ) throws(Failure) {
        try withCursor(table) { (cursor: borrowing Cursor) throws(Failure) in try cursor.each(from: key, body) }
    }

    public borrowing func count(_ table: Table) throws(LMDBError) -> Int {
        var statistics = MDB_stat()
        try check(mdb_stat(handle, table.identifier, &statistics))
        return statistics.ms_entries
    }

    public borrowing func freePages() throws(LMDBError) -> Int {
        // Table 0 is LMDB's free list; each value is a count and that many page numbers, each a machine word.
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

    public borrowing func withCursor<Value: ~Copyable, Failure: LMDBFailure>(
        _ table: Table, _ body: (borrowing Cursor) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try body(try opened(as: Failure.self) { () throws(LMDBError) in try Cursor(handle, table) })
    }

    /// Passes the rows of a table with integer keys from a key on to a closure until it returns `false`.
    ///
    /// Throws `corruption` if a key has another size. `Environment.giveBack` takes the result.
    @discardableResult
    public borrowing func scan(
        _ table: Table, from first: UInt64, _ body: (UInt64, RawSpan) -> Bool
    ) throws(LMDBError) -> TouchedPages {
        let cursor = try Cursor(handle, table)
        return try cursor.scan(from: first, body)
    }
}

func opened<Value: ~Copyable, Failure: LMDBFailure>(
    as failure: Failure.Type, _ body: () throws(LMDBError) -> Value
) throws(Failure) -> Value {
    do { return try body() } catch { throw Failure(error) }
}

func openTable(_ transaction: OpaquePointer, _ name: String, flags: UInt32) throws(LMDBError) -> Table? {
    var identifier: MDB_dbi = 0
    guard try hasFound(mdb_dbi_open(transaction, name, flags, &identifier)) else { return nil }
    return Table(identifier: identifier)
}

// Confined to one closure on one thread.
@available(*, unavailable)
extension ReadTransaction: Sendable {}

/// The write transaction, passed to a closure; committed when it returns, aborted when it throws.
///
/// LMDB's writer belongs to a thread, so the closure is synchronous. Spans are valid until the next change.
public struct WriteTransaction: ~Copyable {
    let handle: OpaquePointer

    deinit { mdb_txn_abort(handle) }

    // LMDB frees a transaction even if its commit fails, so the handle must not be used afterwards.
    consuming func commit() throws(LMDBError) {
        let handle = handle
        discard self
        try check(mdb_txn_commit(handle))
    }

    public borrowing func table(_ name: String, keys: Table.Keys) throws(LMDBError) -> Table {
        guard let table = try openTable(handle, name, flags: keys.flags | UInt32(MDB_CREATE)) else {
            throw .other(MDB_NOTFOUND)
        }
        return table
    }

    public borrowing func withCursor<Value: ~Copyable, Failure: LMDBFailure>(
        _ table: Table, _ body: (borrowing Cursor) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try body(try opened(as: Failure.self) { () throws(LMDBError) in try Cursor(handle, table) })
    }

    public borrowing func put(_ key: RawSpan, _ value: RawSpan, in table: Table) throws(LMDBError) {
        try withValue(key) { (key) throws(LMDBError) in try put(&key, value, table, 0) }
    }

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

    /// Adds a row; throws `keyExists` if the key exists.
    public borrowing func insert(_ key: RawSpan, _ value: RawSpan, in table: Table) throws(LMDBError) {
        try withValue(key) { (key) throws(LMDBError) in try put(&key, value, table, UInt32(MDB_NOOVERWRITE)) }
    }

    /// Appends a row; throws `keyExists` if its key is not above the last one.
    public borrowing func append(_ key: UInt64, _ value: RawSpan, in table: Table) throws(LMDBError) {
        try withKey(key) { (key) throws(LMDBError) in try put(&key, value, table, UInt32(MDB_APPEND)) }
    }

    @discardableResult
    public borrowing func delete(_ key: RawSpan, in table: Table) throws(LMDBError) -> Bool {
        try hasFound(withValue(key) { mdb_del(handle, table.identifier, &$0, nil) })
    }

    @discardableResult
    public borrowing func delete(_ key: UInt64, in table: Table) throws(LMDBError) -> Bool {
        try hasFound(withKey(key) { mdb_del(handle, table.identifier, &$0, nil) })
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

// Confined to one closure on one thread.
@available(*, unavailable)
extension WriteTransaction: Sendable {}

/// A table of an environment; opened once, and valid as long as the environment.
public struct Table: Sendable, Equatable {
    public enum Keys: Sendable {
        case bytes
        /// 64-bit integers in the machine's byte order, in numerical order.
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
