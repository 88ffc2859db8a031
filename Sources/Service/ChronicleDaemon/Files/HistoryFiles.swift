import ChronicleLog
import ChronicleStore
import DiskLog
import Glibc
import Synchronization
import TodoAPI

#if Cluster
    import ReplicatedLog
#endif

final class HistoryFiles: Sendable {
    let log: any ActionLog
    let uploads: Uploads
    /// The directory of the log; not created for a log in memory.
    let directory: String
    let work = FileWork(name: "files")
    /// The thread that reads uploads: a single line may take seconds.
    let imports = FileWork(name: "imports")
    let base = SharedBase()
    let clusterQuestions = ClusterQuestions()

    /// This machine's log on disk, also the copy of a shared log; `nil`: none.
    var diskLog: LMDBActionLog? { shared?.copy as? LMDBActionLog ?? log as? LMDBActionLog }

    var shared: SharedLog? { SharedLog.of(log) }

    init(_ opened: OpenedLog<some DaemonApp>, _ configuration: Configuration) {
        log = opened.log
        directory = configuration.dataDirectory
        uploads = Uploads(
            directory: opened.mode == .ephemeral ? "/tmp" : configuration.dataDirectory,
            freeBytesMin: configuration[Setting.freeBytesMin])
    }
}

actor FileWork {
    private nonisolated let thread: SerialThread

    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    init(name: String) { thread = SerialThread(name: name) }

    deinit { thread.end() }

    func run<Value: Sendable>(_ body: @Sendable () throws(ActionLogError) -> Value) throws(ActionLogError) -> Value { try body() }

    /// Runs work that yields to other jobs wherever it suspends.
    func run<Value: Sendable>(_ body: @Sendable (isolated FileWork) async throws -> Value) async throws -> Value {
        try await body(self)
    }
}

/// An upload, freed with its last reference, but never on a thread that others wait for.
final class UploadedFile: Sendable {
    let spool: TempFile
    private let line: UploadLine

    init(_ spool: TempFile, _ line: UploadLine) {
        self.spool = spool
        self.line = line
    }

    deinit { line.add { [spool] in withExtendedLifetime(spool) {} } }
}

/// The current upload; a new one replaces it.
final class Uploads: Sendable {
    private struct Upload {
        var number: UInt64
        var uid: UInt32
        var file: UploadedFile
    }

    private struct Content {
        var current: Upload?
        var last: UInt64 = 0
    }

    private let content = Mutex(Content())
    let line = UploadLine()
    private let directory: String
    private let freeBytesMin: Int

    init(directory: String, freeBytesMin: Int) {
        self.directory = directory
        self.freeBytesMin = freeBytesMin
    }

    func add(_ bytes: [UInt8], to number: UInt64?, of uid: UInt32) throws(APIError) -> (number: UInt64, bytes: Int) {
        let (upload, spool) = if let number { (number, try file(number, of: uid).spool) } else { try begin(uid) }
        guard spool.byteCount + bytes.count <= TempFile.bytesMax else { throw .batchTooLarge }
        var status = statvfs()
        if fstatvfs(spool.descriptor, &status) == 0, Int(status.f_bavail) * Int(status.f_frsize) < freeBytesMin + bytes.count {
            throw .storageFull(message: "The disk has no space for the import.")
        }
        guard spool.append(bytes) else {
            throw .unreadable(message: "The import can't be stored: \(String(cString: strerror(errno))).")
        }
        return (upload, spool.byteCount)
    }

    func file(_ number: UInt64, of uid: UInt32) throws(APIError) -> UploadedFile {
        let current = content.withLock { $0.current }
        guard let current, current.number == number, current.uid == uid else { throw .unknownUpload(upload: number) }
        return current.file
    }

    func end(_ number: UInt64) { content.withLock { if $0.current?.number == number { $0.current = nil } } }

    private func begin(_ uid: UInt32) throws(APIError) -> (UInt64, TempFile) {
        guard let spool = TempFile(directory: directory) else {
            throw .unreadable(message: "\(directory) can't be written: \(String(cString: strerror(errno))).")
        }
        return content.withLock { content in
            content.last += 1
            content.current = Upload(number: content.last, uid: uid, file: UploadedFile(spool, line))
            return (content.last, spool)
        }
    }
}

/// Runs upload work in order on a separate thread, because a disk may be slow to write a piece or to free a large file.
final class UploadLine: Sendable {
    private final class Waiting: Sendable {
        let work = Mutex<[@Sendable () -> Void]>([])

        func take() -> [@Sendable () -> Void] {
            work.withLock { work in
                defer { work = [] }
                return work
            }
        }
    }

    private let thread = SerialThread(name: "uploads")
    private let waiting = Waiting()

    init() {
        thread.onSignal { [waiting] in
            for work in waiting.take() { work() }
        }
    }

    deinit { thread.end() }

    /// Adds work from any thread, without waiting; bounded by the bytes of calls that connections may have in flight.
    func add(_ work: @escaping @Sendable () -> Void) {
        waiting.work.withLock { $0.append(work) }
        thread.signal()
    }

    func run<Value: Sendable, Failure: Error>(
        _ work: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        try await withCheckedContinuation { continuation in
            add { continuation.resume(returning: Result { () throws(Failure) in try work() }) }
        }.get()
    }
}

/// A temporary file without a name, for uploads; it is removed with its last reference.
final class TempFile: Sendable {
    static let bytesMax = 1 << 36

    let descriptor: Int32

    // `O_TMPFILE`, which Swift does not import.
    private static let nameless = 0o20_000_000 | O_DIRECTORY

    /// Creates a file on the file system of a directory that others may write to; `nil` with `errno` set.
    convenience init?(directory: String) {
        let descriptor = open(directory, Self.nameless | O_RDWR | O_EXCL | O_CLOEXEC, 0o600)
        if descriptor >= 0 { self.init(descriptor: descriptor) } else { self.init(namedIn: directory) }
    }

    private init(descriptor: Int32) { self.descriptor = descriptor }

    /// Creates a file with a random name and unlinks it, for file systems without unnamed files.
    convenience init?(namedIn directory: String) {
        let path = "\(directory)/import-\(UInt64.random(in: .min ... .max)).new"
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return nil }
        unlink(path)
        self.init(descriptor: descriptor)
    }

    deinit { close(descriptor) }

    var byteCount: Int {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? status.st_size : 0
    }

    /// Appends bytes; `false` with `errno` set.
    func append(_ bytes: [UInt8]) -> Bool {
        var (written, place) = (0, byteCount)
        while written < bytes.count {
            let rest = Array(bytes[written...])
            let count = pwrite(descriptor, rest, rest.count, place)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            written += count
            place += count
        }
        return true
    }
}
