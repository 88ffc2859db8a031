internal import Synchronization
internal import Varlink

/// A stream to run as a child task of the server, until its body ends or its lifetime ends.
struct StreamJob: Sendable {
    let reply: ReplyHandle
    let lifetime: StreamLifetime
    let body: @Sendable (ReplyStream) async throws -> Void

    func run() async {
        await withTaskCancellationHandler {
            await withDiscardingTaskGroup { group in
                group.addTask {
                    await runBody()
                    lifetime.end()
                }
                await lifetime.value()
                group.cancelAll()
            }
        } onCancel: {
            lifetime.end()
        }
    }

    private func runBody() async {
        do {
            try await body(ReplyStream(reply: reply))
            // Has no effect if the body has already sent its last reply.
            reply.succeed { $0 += "{}".utf8 }
        } catch let error as CallError {
            reply.fail(error)
        } catch is CancellationError, is ReplyStream.Closed {
            reply.fail(reply.queue.errors.stopping)
        } catch {
            reply.fail(reply.queue.errors.failed)
        }
    }
}

/// Ends the task of a stream when its connection closes, the server stops or its body returns.
typealias StreamLifetime = OneShot<Void>

extension OneShot<Void> {
    func end() { set(()) }
}

/// A value that is set once and that one task may await.
final class OneShot<Value: Sendable>: Sendable {
    private enum State {
        case unset
        case awaited(CheckedContinuation<Value, Never>)
        case set(Value)
    }

    private let state = Mutex(State.unset)

    var isSet: Bool {
        state.withLock { state in
            if case .set = state { true } else { false }
        }
    }

    /// Sets the value, unless it is set.
    ///
    /// - Parameter first: runs before the value is visible.
    func set(_ value: Value, first: () -> Void = {}) {
        let waiting = state.withLock { state -> CheckedContinuation<Value, Never>? in
            if case .set = state { return nil }
            first()
            defer { state = .set(value) }
            if case .awaited(let continuation) = state { return continuation }
            return nil
        }
        waiting?.resume(returning: value)
    }

    func value() async -> Value {
        await withCheckedContinuation { continuation in
            let value = state.withLock { state -> Value? in
                if case .set(let value) = state { return value }
                state = .awaited(continuation)
                return nil
            }
            if let value { continuation.resume(returning: value) }
        }
    }
}
