internal import CLMDB
internal import Glibc

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
