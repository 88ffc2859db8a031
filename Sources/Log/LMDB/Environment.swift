internal import CLMDB
internal import Glibc

/// An LMDB environment: one file of tables with many readers and one writer at a time.
///
/// LMDB's locks are per process: open a directory once per process, never use it after a fork, and exclude other writers with a
/// lock of your own. No flag that skips a flush can be set.
public final class Environment: Sendable {
    // Set once and closed by `deinit`; LMDB's locks guard the rest.
    private nonisolated(unsafe) let handle: OpaquePointer
    private let path: String

    /// Opens the environment of an existing directory, and creates it unless read-only.
    ///
    /// The map's size is set only here, because a change would unmap it under running readers. Slots of dead readers are cleared.
    /// A created file is durable after the first commit, its name after a flush of the directory. Throws `io(EWOULDBLOCK)` if the
    /// file is open for writing in another environment, under any name.
    public init(directory: String, options: EnvironmentOptions = EnvironmentOptions()) throws(LMDBError) {
        var handle: OpaquePointer?
        try check(mdb_env_create(&handle))
        guard let handle else { throw .io(ENOMEM) }
        self.handle = handle
        self.path = directory
        // From here on `deinit` closes the handle even if opening fails, as LMDB requires.
        try Self.configure(handle, directory, options)
        try Self.open(handle, directory, options)
    }

    deinit { mdb_env_close(handle) }

    /// Runs a read transaction: a snapshot that never waits and does not change with later commits.
    public func read<Value: ~Copyable, Failure: LMDBFailure>(
        _ body: (borrowing ReadTransaction) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let transaction = try opened(as: Failure.self) { () throws(LMDBError) in
            ReadTransaction(handle: try begin(UInt32(MDB_RDONLY)))
        }
        return try body(transaction)
    }

    /// Runs a write transaction and commits it; waits for the current writer.
    ///
    /// Must not be nested on one thread: it would wait for itself. If the closure throws, nothing is changed. If the commit
    /// throws `panic` or `io`, it is unknown what is on disk.
    public func write<Value: ~Copyable, Failure: LMDBFailure>(
        _ body: (borrowing WriteTransaction) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let transaction = try opened(as: Failure.self) { () throws(LMDBError) in WriteTransaction(handle: try begin(0)) }
        let value = try body(transaction)
        do { try transaction.commit() } catch { throw Failure(error) }
        return value
    }

    /// Whether a meta page could not be written; then everything is refused.
    public var isInPanic: Bool {
        do {
            mdb_txn_abort(try begin(0))
            return false
        } catch {
            return error == .panic
        }
    }

    public var usage: MapUsage { MapUsage(handle) }

    public var inode: UInt64 {
        var descriptor: Int32 = -1
        var status = stat()
        guard mdb_env_get_fd(handle, &descriptor) == 0, fstat(descriptor, &status) == 0 else { return 0 }
        return UInt64(status.st_ino)
    }

    /// Removes the pages of a long scan from resident memory; they stay in the page cache.
    public func giveBack(_ touched: inout TouchedPages) {
        let pageBytes = UInt(usage.pageBytes)
        let start = touched.lower / pageBytes * pageBytes
        if touched.upper > start, let address = UnsafeMutableRawPointer(bitPattern: start) {
            // Only drops the mapping, so other readers are not affected.
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
        // LMDB sets this flag on its other descriptors only.
        guard fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0 else { throw .io(errno) }
        // A writer that opened the file through another directory has another lock.mdb, so LMDB's locks do not exclude it.
        let code = options.isReadOnly ? 0 : FileLock.take(descriptor)
        guard code == 0 else { throw .io(code) }
        var dead: Int32 = 0
        try check(mdb_reader_check(handle, &dead))
        // LMDB raises a map that is too small to the size in use, so it would be full from the start.
        let usage = MapUsage(handle)
        let mapBytes = options.mapBytes.map(roundedUp) ?? usage.mapBytes
        guard usage.usedBytes <= mapBytes else {
            throw .mapTooSmall(usedBytes: usage.usedBytes, mapBytes: mapBytes)
        }
        try lengthen(descriptor, to: usage.usedBytes, options)
    }

    // LMDB writes the readers' file through a mapping, which is a SIGBUS on a full disk.
    private static func reserve(_ readers: String, _ options: EnvironmentOptions) throws(LMDBError) {
        let descriptor = Glibc.open(readers, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        // LMDB reports the reason, or does without the file on a read-only file system.
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var status = stat()
        // A slot is a cache line, and the header at least two. A longer file would have more slots.
        let bytes = off_t(options.readersMax + 2) * 64
        guard fstat(descriptor, &status) == 0, status.st_size < bytes else { return }
        let error = LMDBError(code: posix_fallocate(descriptor, 0, bytes))
        if error == .diskFull { throw error }
    }

    // A read after the end of a mapped file is a SIGBUS. Truncated pages become zeros, which LMDB and our checksums detect. Even
    // an intact file may lack pages that were freed before they were written.
    private static func lengthen(_ file: Int32, to usedBytes: Int, _ options: EnvironmentOptions) throws(LMDBError) {
        var status = stat()
        guard fstat(file, &status) == 0 else { throw .io(errno) }
        guard status.st_size < usedBytes else { return }
        guard options.isReadOnly else {
            guard ftruncate(file, usedBytes) == 0 else { throw LMDBError(code: errno) }
            return
        }
        // Another process may be writing; this call never shortens the file. The path might name another file.
        let descriptor = Glibc.open("/proc/self/fd/\(file)", O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            // Without write permission the missing pages can only be reported.
            throw [EACCES, EPERM, EROFS].contains(errno) ? .corruption(MDB_PAGE_NOTFOUND) : LMDBError(code: errno)
        }
        defer { close(descriptor) }
        let code = posix_fallocate(descriptor, usedBytes - 1, 1)
        guard code == 0 else { throw LMDBError(code: code) }
    }

    // The map's size in the newer meta page; 0 if there is no file of LMDB.
    private static func existingMapBytes(_ directory: String) -> Int {
        var handle: OpaquePointer?
        guard access("\(directory)/data.mdb", F_OK) == 0, mdb_env_create(&handle) == 0, let handle else { return 0 }
        defer { mdb_env_close(handle) }
        // Without locks and map size, LMDB takes the size from the file.
        let flags = UInt32(MDB_RDONLY) | UInt32(MDB_NOLOCK)
        guard mdb_env_open(handle, directory, flags, 0o600) == 0 else { return 0 }
        return MapUsage(handle).mapBytes
    }

    private static func roundedUp(_ bytes: Int) -> Int {
        let page = sysconf(Int32(_SC_PAGESIZE))
        return max(1, (bytes + page - 1) / page) * page
    }

    /// Copies a snapshot of the environment without free pages to an open, empty file.
    ///
    /// Readers and the writer continue; pages that they free are kept until the end. The copy is not flushed.
    public func copy(to descriptor: Int32) throws(LMDBError) {
        try withHandle { (handle) throws(LMDBError) in
            try check(mdb_env_copyfd2(handle, descriptor, UInt32(MDB_CP_COMPACT)))
        }
    }
}

// LMDB calls abort() when this returns. A core dump would not help with a damaged file, and the exit code prevents restarts of
// the service.
private func leave(_: OpaquePointer?, _ message: UnsafePointer<CChar>?) {
    if let message {
        "LMDB found its file damaged: ".withCString { _ = write(STDERR_FILENO, $0, strlen($0)) }
        _ = write(STDERR_FILENO, message, strlen(message))
        _ = write(STDERR_FILENO, "\n", 1)
    }
    _exit(65)
}

public struct EnvironmentOptions: Sendable {
    /// Size of the map in bytes, rounded up to whole pages; `nil`: 64 GiB, or the previous size if that is larger.
    ///
    /// The map is only address space: it takes no memory, and the file grows with use.
    public var mapBytes: Int?
    public var readersMax: UInt32
    /// Whether the environment, which must exist, is only read.
    public var isReadOnly: Bool

    public init(mapBytes: Int? = nil, readersMax: UInt32 = 256, isReadOnly: Bool = false) {
        self.mapBytes = mapBytes
        self.readersMax = readersMax
        self.isReadOnly = isReadOnly
    }

    public static let mapBytesDefault = 64 << 30
}

public struct MapUsage: Sendable, Equatable {
    public let mapBytes: Int
    /// Used part of the map in bytes; pages freed since then count as used.
    public let usedBytes: Int
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

/// The address range of the map that a scan has read.
public struct TouchedPages: Sendable, Equatable {
    var lower = UInt.max
    var upper: UInt = 0

    public init() {}

    public var byteCount: Int { upper > lower ? Int(upper - lower) : 0 }

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
