import ChronicleLog
import ChronicleStore
import DiskLog
import Dispatch
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

/// The current upload; a new one replaces it.
///
/// Works in order on a separate queue, because a disk may be slow to write a piece or to free a large file.
final class Uploads: Sendable {
    private struct Upload {
        var number: UInt64
        var uid: UInt32
        var file: TempFile
    }

    private struct Content {
        var current: Upload?
        var last: UInt64 = 0
    }

    private let content = Mutex(Content())
    private let queue = DispatchQueue(label: "uploads")
    private let directory: String
    private let freeBytesMin: Int

    init(directory: String, freeBytesMin: Int) {
        self.directory = directory
        self.freeBytesMin = freeBytesMin
    }

    /// Adds bytes to an upload, or begins one, without waiting; bounded by the bytes of calls that connections may have in flight.
    /// - Parameter done: gets the number of the upload and its bytes so far.
    func add(
        to number: UInt64?, of uid: UInt32, _ bytes: @escaping @Sendable () throws(APIError) -> [UInt8],
        done: @escaping @Sendable (Result<(number: UInt64, bytes: Int), APIError>) -> Void
    ) {
        queue.async { done(Result { () throws(APIError) in try self.append(bytes(), to: number, of: uid) }) }
    }

    /// The file of an upload, with all pieces that were added before.
    func file(_ number: UInt64, of uid: UInt32) async throws(APIError) -> TempFile {
        await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
        return try current(number, of: uid)
    }

    func end(_ number: UInt64) { content.withLock { if $0.current?.number == number { $0.current = nil } } }

    private func append(_ bytes: [UInt8], to number: UInt64?, of uid: UInt32) throws(APIError) -> (number: UInt64, bytes: Int) {
        let (upload, file) = if let number { (number, try current(number, of: uid)) } else { try begin(uid) }
        guard file.byteCount + bytes.count <= TempFile.bytesMax else { throw .batchTooLarge }
        var status = statvfs()
        if fstatvfs(file.descriptor, &status) == 0, Int(status.f_bavail) * Int(status.f_frsize) < freeBytesMin + bytes.count {
            throw .storageFull(message: "The disk has no space for the import.")
        }
        guard file.append(bytes) else {
            throw .unreadable(message: "The import can't be stored: \(String(cString: strerror(errno))).")
        }
        return (upload, file.byteCount)
    }

    private func current(_ number: UInt64, of uid: UInt32) throws(APIError) -> TempFile {
        let current = content.withLock { $0.current }
        guard let current, current.number == number, current.uid == uid else { throw .unknownUpload(upload: number) }
        return current.file
    }

    private func begin(_ uid: UInt32) throws(APIError) -> (UInt64, TempFile) {
        guard let file = TempFile(directory: directory, freedOn: queue) else {
            throw .unreadable(message: "\(directory) can't be written: \(String(cString: strerror(errno))).")
        }
        return content.withLock { content in
            content.last += 1
            content.current = Upload(number: content.last, uid: uid, file: file)
            return (content.last, file)
        }
    }
}

/// A temporary file without a name, for uploads; it is removed with its last reference.
final class TempFile: Sendable {
    static let bytesMax = 1 << 36

    let descriptor: Int32
    private let queue: DispatchQueue

    // `O_TMPFILE`, which Swift does not import.
    private static let nameless = 0o20_000_000 | O_DIRECTORY

    /// Creates a file on the file system of a directory that others may write to; `nil` with `errno` set.
    init?(directory: String, freedOn queue: DispatchQueue) {
        var descriptor = open(directory, Self.nameless | O_RDWR | O_EXCL | O_CLOEXEC, 0o600)
        if descriptor < 0 {
            // Some file systems have no files without a name.
            let path = "\(directory)/import-\(UInt64.random(in: .min ... .max)).new"
            descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
            if descriptor >= 0 { unlink(path) }
        }
        guard descriptor >= 0 else { return nil }
        (self.descriptor, self.queue) = (descriptor, queue)
    }

    deinit { queue.async { [descriptor] in close(descriptor) } }

    var byteCount: Int {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? status.st_size : 0
    }

    /// Appends bytes; `false` with `errno` set.
    func append(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = pwrite(descriptor, Array(rest), rest.count, byteCount)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}
