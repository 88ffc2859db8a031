import Glibc
import StoreRuntime
import Synchronization
import TodoAPI

/// What a client has handed over; ends with whoever holds it, but never on a thread that others wait for.
final class UploadedFile: Sendable {
    let spool: Spool
    private let line: UploadLine

    init(_ spool: Spool, _ line: UploadLine) {
        self.spool = spool
        self.line = line
    }

    deinit { line.add { [spool] in withExtendedLifetime(spool) {} } }
}

/// The file that a client is handing over; the next one takes its place.
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
    /// Where all of this is done.
    let line = UploadLine()
    private let directory: String
    private let freeBytesMin: Int

    /// Files are kept in this directory for as long as they are needed.
    init(directory: String, freeBytesMin: Int) {
        self.directory = directory
        self.freeBytesMin = freeBytesMin
    }

    /// Adds a piece to an upload of this uid, or begins one.
    func add(_ bytes: [UInt8], to number: UInt64?, of uid: UInt32) throws(APIError) -> (number: UInt64, bytes: Int) {
        let (upload, spool) = if let number { (number, try file(number, of: uid).spool) } else { try begin(uid) }
        guard spool.byteCount + bytes.count <= Spool.bytesMax else { throw .batchTooLarge }
        var status = statvfs()
        if fstatvfs(spool.descriptor, &status) == 0, Int(status.f_bavail) * Int(status.f_frsize) < freeBytesMin + bytes.count {
            throw .storageFull(message: "The disk has no room for what is to be imported.")
        }
        guard spool.append(bytes) else {
            throw .unreadable(message: "What is to be imported can't be kept: \(String(cString: strerror(errno))).")
        }
        return (upload, spool.byteCount)
    }

    /// An upload of this uid.
    func file(_ number: UInt64, of uid: UInt32) throws(APIError) -> UploadedFile {
        let current = content.withLock { $0.current }
        guard let current, current.number == number, current.uid == uid else { throw .unknownUpload(upload: number) }
        return current.file
    }

    /// Lets go of an upload.
    func end(_ number: UInt64) { content.withLock { if $0.current?.number == number { $0.current = nil } } }

    private func begin(_ uid: UInt32) throws(APIError) -> (UInt64, Spool) {
        guard let spool = Spool(directory: directory) else {
            throw .unreadable(message: "\(directory) can't be written: \(String(cString: strerror(errno))).")
        }
        return content.withLock { content in
            content.last += 1
            content.current = Upload(number: content.last, uid: uid, file: UploadedFile(spool, line))
            return (content.last, spool)
        }
    }
}

/// Does what concerns uploads, one thing after the other in the order in which it came, on a thread of its own: a disk may take
/// its time to write a piece, and to let go of a large file.
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

    /// Has something done after all that came before; from any thread, without waiting.
    ///
    /// How much waits is bounded by the bytes of calls that a connection may have started.
    func add(_ work: @escaping @Sendable () -> Void) {
        waiting.work.withLock { $0.append(work) }
        thread.signal()
    }

    /// Has something done after all that came before, and waits for what comes of it.
    func run<Value: Sendable, Failure: Error>(
        _ work: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        try await withCheckedContinuation { continuation in
            add { continuation.resume(returning: Result { () throws(Failure) in try work() }) }
        }.get()
    }
}
