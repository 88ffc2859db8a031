internal import CLMDB

// The only places where LMDB's pointers become spans and the other way round.

extension MDB_val {
    /// The bytes that LMDB lends until the transaction's next change or end.
    var buffer: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: mv_data, count: mv_size) }

    /// An integer key; `nil` when its size is another.
    var integer: UInt64? {
        mv_size == 8 ? mv_data.loadUnaligned(as: UInt64.self) : nil
    }
}

/// Lends bytes as LMDB wants them; LMDB does not write through the pointer.
func withValue<Result, Failure: Error>(
    _ bytes: RawSpan, _ body: (inout MDB_val) throws(Failure) -> Result
) throws(Failure) -> Result {
    let result: Swift.Result<Result, Failure> = bytes.withUnsafeBytes { buffer in
        var value = MDB_val(mv_size: buffer.count, mv_data: UnsafeMutableRawPointer(mutating: buffer.baseAddress))
        do throws(Failure) { return .success(try body(&value)) } catch { return .failure(error) }
    }
    return try result.get()
}

/// Lends an integer key as LMDB wants it.
func withKey<Result, Failure: Error>(
    _ key: UInt64, _ body: (inout MDB_val) throws(Failure) -> Result
) throws(Failure) -> Result {
    var key = key
    return try withUnsafeMutableBytes(of: &key) { (buffer) throws(Failure) -> Result in
        var value = MDB_val(mv_size: buffer.count, mv_data: buffer.baseAddress)
        return try body(&value)
    }
}
