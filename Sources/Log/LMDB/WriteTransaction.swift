internal import CLMDB

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
