internal import CLMDB
internal import Glibc

/// An LMDB environment: one file of tables, read by many at once and changed by one at a time.
///
/// LMDB keeps its locks per process: open a directory once in a process, never use it after a fork, and keep two
/// processes apart by a lock of your own. Durability is never traded: no flag that skips a flush can be set.
public final class Environment: Sendable {
    // LMDB's own locks guard what the handle points to; it is set once and closed when nobody holds the environment.
    private nonisolated(unsafe) let handle: OpaquePointer
    private let path: String

    /// Opens, and unless read-only creates, the environment of a directory that exists.
    ///
    /// The map's size is set here, once: changing it later would pull the map from under running readers. Rows of
    /// readers that died are cleared. A file that was created is durable after the first commit, its name once the directory was flushed.
    /// Throws `io(EWOULDBLOCK)` if another environment has the file open for writing, under any name.
    public init(directory: String, options: EnvironmentOptions = EnvironmentOptions()) throws(LMDBError) {
        var handle: OpaquePointer?
        try check(mdb_env_create(&handle))
        guard let handle else { throw .io(ENOMEM) }
        self.handle = handle
        self.path = directory
        // From here on the deinitialiser closes the handle, also when opening fails: LMDB asks for that.
        try Self.configure(handle, directory, options)
        try Self.open(handle, directory, options)
    }

    deinit { mdb_env_close(handle) }

    /// Lends a view of the environment as it is now; it never waits, and is not changed by what is committed meanwhile.
    public func read<Value: ~Copyable, Failure: LMDBFailure>(
        _ body: (borrowing ReadTransaction) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let transaction = try opened(as: Failure.self) { () throws(LMDBError) in
            ReadTransaction(handle: try begin(UInt32(MDB_RDONLY)))
        }
        return try body(transaction)
    }

    /// Lends the write transaction, waiting for the one that has it, and commits what the closure did.
    ///
    /// Never called from inside another write on the same thread: it would wait for itself. After an error from the closure
    /// nothing was changed; after one from the commit `panic` and `io` leave open what is on disk.
    public func write<Value: ~Copyable, Failure: LMDBFailure>(
        _ body: (borrowing WriteTransaction) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let transaction = try opened(as: Failure.self) { () throws(LMDBError) in WriteTransaction(handle: try begin(0)) }
        let value = try body(transaction)
        do { try transaction.commit() } catch { throw Failure(error) }
        return value
    }

    /// Whether a meta page could not be written; everything is refused from then on.
    public var isInPanic: Bool {
        do {
            mdb_txn_abort(try begin(0))
            return false
        } catch {
            return error == .panic
        }
    }

    /// The size and use of the map.
    public var usage: MapUsage { MapUsage(handle) }

    /// The descriptor's file, by its inode number.
    public var inode: UInt64 {
        var descriptor: Int32 = -1
        var status = stat()
        guard mdb_env_get_fd(handle, &descriptor) == 0, fstat(descriptor, &status) == 0 else { return 0 }
        return UInt64(status.st_ino)
    }

    /// Takes the pages of a long scan out of the process's resident memory; whoever needs one gets it back from the cache.
    public func giveBack(_ touched: inout TouchedPages) {
        let pageBytes = UInt(usage.pageBytes)
        let start = touched.lower / pageBytes * pageBytes
        if touched.upper > start, let address = UnsafeMutableRawPointer(bitPattern: start) {
            // Only the mapping goes, never what is in the file: other readers notice nothing.
            _ = madvise(address, Int(touched.upper - start), MADV_DONTNEED)
        }
        touched = TouchedPages()
    }

    func withHandle<Value>(_ body: (OpaquePointer) throws(LMDBError) -> Value) throws(LMDBError) -> Value {
        try body(handle)
    }

    private func begin(_ flags: UInt32) throws(LMDBError) -> OpaquePointer {
        var transaction: OpaquePointer?
        try check(mdb_txn_begin(handle, nil, flags, &transaction))
        guard let transaction else { throw .io(ENOMEM) }
        return transaction
    }
}
