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
