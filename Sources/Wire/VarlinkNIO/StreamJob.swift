internal import Synchronization
internal import Varlink

/// The streams that are to be run as child tasks of the server.
struct StreamJobs: Sendable {
    let jobs: AsyncStream<StreamJob>
    let errors: VarlinkErrors
    private let continuation: AsyncStream<StreamJob>.Continuation

    /// Holds at most as many as calls can be running.
    init(countMax: Int, errors: VarlinkErrors) {
        self.errors = errors
        (jobs, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(countMax))
    }

    func add(_ job: StreamJob) {
        guard case .enqueued = continuation.yield(job) else { return job.reply.fail(errors.stopping) }
    }

    func finish() {
        continuation.finish()
    }
}

/// One stream: a body to run until it ends or nobody wants it any more.
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
                await lifetime.wait()
                group.cancelAll()
            }
        } onCancel: {
            lifetime.end()
        }
    }

    private func runBody() async {
        do {
            try await body(ReplyStream(reply: reply))
            // A body that has sent its last reply is past this one.
            reply.succeed { $0 += "{}".utf8 }
        } catch let error as CallError {
            reply.fail(error)
        } catch is CancellationError, is ReplyStream.Closed {
            reply.fail(reply.jobs.errors.stopping)
        } catch {
            reply.fail(reply.jobs.errors.failed)
        }
    }
}

/// Tells the task of a stream when to end: its connection was closed, its server stops, or its body is done.
final class StreamLifetime: Sendable {
    private enum State {
        case running
        case awaited(CheckedContinuation<Void, Never>)
        case ended
    }

    private let state = Mutex(State.running)

    func wait() async {
        await withCheckedContinuation { continuation in
            let hasEnded = state.withLock { state in
                if case .ended = state { return true }
                state = .awaited(continuation)
                return false
            }
            if hasEnded { continuation.resume() }
        }
    }

    func end() {
        let waiting = state.withLock { state -> CheckedContinuation<Void, Never>? in
            defer { state = .ended }
            if case .awaited(let continuation) = state { return continuation }
            return nil
        }
        waiting?.resume()
    }
}
