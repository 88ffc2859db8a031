import Foundation
import Synchronization

/// Blocking work on its own thread, with its result.
final class Background<Value: Sendable>: Sendable {
    private let outcome = Mutex<Result<Value, any Error>?>(nil)
    private let ended = DispatchSemaphore(value: 0)

    init(_ work: @escaping @Sendable () throws -> Value) {
        Thread.detachNewThread { [self] in
            let result = Result { try work() }
            outcome.withLock { $0 = result }
            ended.signal()
        }
    }

    /// Waits for the end of the work.
    func value(seconds: Double = 120) throws -> Value {
        guard ended.wait(timeout: .now() + seconds) == .success else { throw TooLate() }
        ended.signal()
        guard let result = outcome.withLock({ $0 }) else { throw TooLate() }
        return try result.get()
    }

    /// Whether the work has ended.
    var isOver: Bool { outcome.withLock { $0 != nil } }

    struct TooLate: Error {}
}

/// Runs the same work on several threads at once and returns the results in order.
func onThreads<Value: Sendable>(
    _ count: Int, seconds: Double = 120, _ work: @escaping @Sendable (Int) throws -> Value
) throws -> [Value] {
    let threads = (0..<count).map { index in Background { try work(index) } }
    return try threads.map { try $0.value(seconds: seconds) }
}
