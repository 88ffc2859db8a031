internal import CLMDB

/// A cursor over a table, inside a transaction.
///
/// Each move passes key and value to the closure without a copy and returns its result; `nil` if there is no such row.
public struct Cursor: ~Copyable {
    private let handle: OpaquePointer

    init(_ transaction: OpaquePointer, _ table: Table) throws(LMDBError) {
        var handle: OpaquePointer?
        try check(mdb_cursor_open(transaction, table.identifier, &handle))
        guard let handle else { throw .other(MDB_BAD_TXN) }
        self.handle = handle
    }

    deinit { mdb_cursor_close(handle) }

    public borrowing func first<Value>(_ body: (RawSpan, RawSpan) -> Value) throws(LMDBError) -> Value? {
        try move(MDB_FIRST, body)
    }

    public borrowing func last<Value>(_ body: (RawSpan, RawSpan) -> Value) throws(LMDBError) -> Value? {
        try move(MDB_LAST, body)
    }

    /// The row after the current one; initially the first.
    public borrowing func next<Value>(_ body: (RawSpan, RawSpan) -> Value) throws(LMDBError) -> Value? {
        try move(MDB_NEXT, body)
    }

    /// The row before the current one; initially the last.
    public borrowing func previous<Value>(_ body: (RawSpan, RawSpan) -> Value) throws(LMDBError) -> Value? {
        try move(MDB_PREV, body)
    }

    public borrowing func seek<Value>(
        _ key: RawSpan, _ body: (RawSpan, RawSpan) -> Value
    ) throws(LMDBError) -> Value? {
        try withValue(key) { (key) throws(LMDBError) in try move(MDB_SET_RANGE, &key, body) }
    }

    private func move<Value>(
        _ operation: MDB_cursor_op, _ body: (RawSpan, RawSpan) -> Value
    ) throws(LMDBError) -> Value? {
        var key = MDB_val()
        return try move(operation, &key, body)
    }

    private func move<Value>(
        _ operation: MDB_cursor_op, _ key: inout MDB_val, _ body: (RawSpan, RawSpan) -> Value
    ) throws(LMDBError) -> Value? {
        var value = MDB_val()
        guard try hasFound(mdb_cursor_get(handle, &key, &value, operation)) else { return nil }
        return body(key.buffer.bytes, value.buffer.bytes)
    }

    borrowing func each<Failure: LMDBFailure>(
        from start: [UInt8], _ body: (RawSpan, RawSpan) throws(Failure) -> Bool
    ) throws(Failure) {
        var (key, value) = (MDB_val(), MDB_val())
        // LMDB has no empty key, so an empty start means the first row.
        var code =
            start.isEmpty
            ? mdb_cursor_get(handle, &key, &value, MDB_FIRST)
            : withValue(start.span.bytes) { first in
                defer { key = first }
                return mdb_cursor_get(handle, &first, &value, MDB_SET_RANGE)
            }
        while try opened(as: Failure.self, { () throws(LMDBError) in try hasFound(code) }) {
            guard try body(key.buffer.bytes, value.buffer.bytes) else { return }
            code = mdb_cursor_get(handle, &key, &value, MDB_NEXT)
        }
    }

    // Not generic and without a closure per move, because replay depends on its speed.
    borrowing func scan(from first: UInt64, _ body: (UInt64, RawSpan) -> Bool) throws(LMDBError) -> TouchedPages {
        var touched = TouchedPages()
        var value = MDB_val()
        var key = MDB_val()
        var start = first
        var isThere = try withUnsafeMutableBytes(of: &start) { (buffer) throws(LMDBError) -> Bool in
            key = MDB_val(mv_size: buffer.count, mv_data: buffer.baseAddress)
            return try hasFound(mdb_cursor_get(handle, &key, &value, MDB_SET_RANGE))
        }
        while isThere {
            guard let integer = key.integer else { throw .corruption(MDB_CORRUPTED) }
            let buffer = value.buffer
            touched.insert(buffer)
            guard body(integer, buffer.bytes) else { break }
            isThere = try hasFound(mdb_cursor_get(handle, &key, &value, MDB_NEXT))
        }
        return touched
    }
}

// Confined to one closure on one thread.
@available(*, unavailable)
extension Cursor: Sendable {}

// The only conversions between LMDB's pointers and spans.

extension MDB_val {
    /// Valid until the transaction's next change or its end.
    var buffer: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: mv_data, count: mv_size) }

    var integer: UInt64? {
        mv_size == 8 ? mv_data.loadUnaligned(as: UInt64.self) : nil
    }
}

/// Passes bytes as an `MDB_val`; LMDB does not write through the pointer.
func withValue<Result, Failure: Error>(
    _ bytes: RawSpan, _ body: (inout MDB_val) throws(Failure) -> Result
) throws(Failure) -> Result {
    let result: Swift.Result<Result, Failure> = bytes.withUnsafeBytes { buffer in
        var value = MDB_val(mv_size: buffer.count, mv_data: UnsafeMutableRawPointer(mutating: buffer.baseAddress))
        do throws(Failure) { return .success(try body(&value)) } catch { return .failure(error) }
    }
    return try result.get()
}

func withKey<Result, Failure: Error>(
    _ key: UInt64, _ body: (inout MDB_val) throws(Failure) -> Result
) throws(Failure) -> Result {
    var key = key
    return try withUnsafeMutableBytes(of: &key) { (buffer) throws(Failure) -> Result in
        var value = MDB_val(mv_size: buffer.count, mv_data: buffer.baseAddress)
        return try body(&value)
    }
}
