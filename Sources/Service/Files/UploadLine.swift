import StoreRuntime
import Synchronization

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
