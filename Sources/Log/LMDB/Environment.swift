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

extension Environment {
    static func configure(
        _ handle: OpaquePointer, _ directory: String, _ options: EnvironmentOptions
    ) throws(LMDBError) {
        try check(mdb_env_set_maxdbs(handle, 16))
        try check(mdb_env_set_maxreaders(handle, options.readersMax))
        let existing = existingMapBytes(directory)
        let mapBytes = options.mapBytes ?? max(EnvironmentOptions.mapBytesDefault, existing)
        try check(mdb_env_set_mapsize(handle, roundedUp(mapBytes)))
        try check(mdb_env_set_assert(handle, leave))
    }

    static func open(
        _ handle: OpaquePointer, _ directory: String, _ options: EnvironmentOptions
    ) throws(LMDBError) {
        try reserve("\(directory)/lock.mdb", options)
        let flags = UInt32(MDB_NOTLS) | (options.isReadOnly ? UInt32(MDB_RDONLY) : 0)
        try check(mdb_env_open(handle, directory, flags, 0o600))
        var descriptor: Int32 = -1
        try check(mdb_env_get_fd(handle, &descriptor))
        // LMDB sets this on its other descriptors, not on the one of the data.
        guard fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0 else { throw .io(errno) }
        // Writers that opened the file in another directory have another lock.mdb, so LMDB's own locks do not exclude them.
        let code = options.isReadOnly ? 0 : FileLock.take(descriptor)
        guard code == 0 else { throw .io(code) }
        var dead: Int32 = 0
        try check(mdb_reader_check(handle, &dead))
        // LMDB raises a map that is too small to the bytes in use, which would be full from the start.
        let usage = MapUsage(handle)
        let mapBytes = options.mapBytes.map(roundedUp) ?? usage.mapBytes
        guard usage.usedBytes <= mapBytes else {
            throw .mapTooSmall(usedBytes: usage.usedBytes, mapBytes: mapBytes)
        }
        try lengthen(descriptor, to: usage.usedBytes, options)
    }

    // LMDB writes the readers' file through a mapping. If the disk has no room for a page of it, that write is a SIGBUS.
    private static func reserve(_ readers: String, _ options: EnvironmentOptions) throws(LMDBError) {
        let descriptor = Glibc.open(readers, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        // LMDB reports why, or does without the file on a read-only file system.
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var status = stat()
        // A reader's row is a cache line, and the header at least two. A longer file would have more rows.
        let bytes = off_t(options.readersMax + 2) * 64
        guard fstat(descriptor, &status) == 0, status.st_size < bytes else { return }
        let error = LMDBError(code: posix_fallocate(descriptor, 0, bytes))
        if error == .diskFull { throw error }
    }

    // A read behind the end of a mapped file is a SIGBUS. Pages of a file that was cut off become zeros, which LMDB and
    // our checksums report; pages that were freed before they were ever written may lie there in a whole file, too.
    private static func lengthen(_ file: Int32, to usedBytes: Int, _ options: EnvironmentOptions) throws(LMDBError) {
        var status = stat()
        guard fstat(file, &status) == 0 else { throw .io(errno) }
        guard status.st_size < usedBytes else { return }
        guard options.isReadOnly else {
            guard ftruncate(file, usedBytes) == 0 else { throw LMDBError(code: errno) }
            return
        }
        // Another process may be writing: this call makes a file longer, but never shorter. By the path another file may lie there.
        let descriptor = Glibc.open("/proc/self/fd/\(file)", O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            // Without write permission the missing pages can only be reported.
            throw [EACCES, EPERM, EROFS].contains(errno) ? .corruption(MDB_PAGE_NOTFOUND) : LMDBError(code: errno)
        }
        defer { close(descriptor) }
        let code = posix_fallocate(descriptor, usedBytes - 1, 1)
        guard code == 0 else { throw LMDBError(code: code) }
    }

    // The map's size as the newer of the two meta pages has it; 0 where there is no file, or none of LMDB's.
    private static func existingMapBytes(_ directory: String) -> Int {
        var handle: OpaquePointer?
        guard access("\(directory)/data.mdb", F_OK) == 0, mdb_env_create(&handle) == 0, let handle else { return 0 }
        defer { mdb_env_close(handle) }
        // Without locks and without a map size of its own it takes the size from the file.
        let flags = UInt32(MDB_RDONLY) | UInt32(MDB_NOLOCK)
        guard mdb_env_open(handle, directory, flags, 0o600) == 0 else { return 0 }
        return MapUsage(handle).mapBytes
    }

    private static func roundedUp(_ bytes: Int) -> Int {
        let page = sysconf(Int32(_SC_PAGESIZE))
        return max(1, (bytes + page - 1) / page) * page
    }

    /// Copies the environment, as it is now, to an open file that is empty; without pages that are free.
    ///
    /// Readers and the writer go on meanwhile; the pages that they free are kept for as long as it takes. The copy is not
    /// yet flushed to the disk.
    public func copy(to descriptor: Int32) throws(LMDBError) {
        try withHandle { (handle) throws(LMDBError) in
            try check(mdb_env_copyfd2(handle, descriptor, UInt32(MDB_CP_COMPACT)))
        }
    }
}

// LMDB calls abort() when this returns. A core dump of a daemon that met a damaged file helps nobody, and the exit code
// keeps the service from being started over and over.
private func leave(_: OpaquePointer?, _ message: UnsafePointer<CChar>?) {
    if let message {
        "LMDB found its file damaged: ".withCString { _ = write(STDERR_FILENO, $0, strlen($0)) }
        _ = write(STDERR_FILENO, message, strlen(message))
        _ = write(STDERR_FILENO, "\n", 1)
    }
    _exit(65)
}

/// How an environment is opened.
public struct EnvironmentOptions: Sendable {
    /// The size of the map in bytes, rounded up to whole pages; `nil`: 64 GiB, or what the environment had if that is more.
    ///
    /// The map is address space: it takes no memory, and the file grows only as it is used.
    public var mapBytes: Int?
    /// How many read transactions can be open at once.
    public var readersMax: UInt32
    /// Whether the environment is only read; it must exist then.
    public var isReadOnly: Bool

    /// Options with the given map and defaults for the rest.
    public init(mapBytes: Int? = nil, readersMax: UInt32 = 256, isReadOnly: Bool = false) {
        self.mapBytes = mapBytes
        self.readersMax = readersMax
        self.isReadOnly = isReadOnly
    }

    /// The map of an environment whose options name none: 64 GiB.
    public static let mapBytesDefault = 64 << 30
}

/// How much of the map is in use.
public struct MapUsage: Sendable, Equatable {
    /// The size of the map, in bytes.
    public let mapBytes: Int
    /// Up to where the map has been used, in bytes; pages freed since then are counted as used.
    public let usedBytes: Int
    /// The size of a page, in bytes.
    public let pageBytes: Int

    init(_ environment: OpaquePointer) {
        var information = MDB_envinfo()
        var statistics = MDB_stat()
        // Neither can fail on an open environment.
        mdb_env_info(environment, &information)
        mdb_env_stat(environment, &statistics)
        mapBytes = information.me_mapsize
        pageBytes = Int(statistics.ms_psize)
        usedBytes = (information.me_last_pgno + 1) * pageBytes
    }
}

/// The part of the map that a scan has read, as addresses.
public struct TouchedPages: Sendable, Equatable {
    var lower = UInt.max
    var upper: UInt = 0

    public init() {}

    /// How far apart the first and the last of them are, in bytes.
    public var byteCount: Int { upper > lower ? Int(upper - lower) : 0 }

    /// Adds what another scan has read.
    public mutating func formUnion(_ other: TouchedPages) {
        lower = min(lower, other.lower)
        upper = max(upper, other.upper)
    }

    mutating func insert(_ buffer: UnsafeRawBufferPointer) {
        let start = UInt(bitPattern: buffer.baseAddress)
        lower = min(lower, start)
        upper = max(upper, start + UInt(buffer.count))
    }
}
