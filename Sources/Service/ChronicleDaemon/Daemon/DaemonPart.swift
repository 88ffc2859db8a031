import Chronicle
import ChronicleLog
import ChronicleStore
import ChronicleValues
import CommandRunning
import LinuxService
import Logging
import ServiceLifecycle
import Synchronization
import TimeTravel
import TodoAPI
import Varlink
import VarlinkNIO

/// A part of the daemon; if it ends early, the daemon ends.
///
/// The work is a closure: generic code is specialized where a closure is created, but not where a generic service is run.
struct DaemonPart: Service {
    let name: String
    /// Whether ending by itself is a failure.
    var lasts = true
    let work: @Sendable () async throws -> Void

    func run() async throws {
        try await work()
        guard lasts, !Task.isShuttingDownGracefully, !Task.isCancelled else { return }
        throw StartFailure(.software, "\(name) has ended unexpectedly, so the daemon stops.")
    }
}

extension DaemonPart {
    /// Ends the daemon if the content of the disk is unknown.
    static func throwing(_ fault: OneShotEvent<StartFailure>) -> DaemonPart {
        DaemonPart(name: "The disk monitor") {
            try await cancelWhenGracefulShutdown { if let failure = await fault.wait() { throw failure } }
        }
    }

    static func stopping<App: DaemonApp>(_ store: Store<App>) -> DaemonPart {
        DaemonPart(name: "The store") {
            try? await gracefulShutdown()
            await store.stop()
        }
    }

    /// Runs the commands once the daemon is ready; the store stops after them.
    static func commands<App: DaemonApp, Target: CommandTarget>(
        of store: Store<App>, by target: Target, after ready: OneShotEvent<Void>, logger: Logger
    ) -> DaemonPart where Target.Command == App.Command, Target.Action == App.Action {
        let options = RunnerOptions(crashPoints: store.crashPoints) { logger.note($0) }
        let runner = CommandRunner(store: store, target: target, options: options)
        return DaemonPart(name: "The command runner") {
            try await cancelWhenGracefulShutdown {
                await ready.wait()
                if !Task.isCancelled { try await runner.run() }
            }
        }
    }

    /// Writes missing snapshots at low priority once the daemon is ready, when some were deleted, and as the log grows.
    static func fillingGaps<App: DaemonApp>(of history: History<App>, after ready: OneShotEvent<Void>, logger: Logger)
        -> DaemonPart
    {
        @Sendable func fill() async {
            do {
                let written = try await history.fillGaps(resting: 9)
                if written > 0 { logger.info("Wrote snapshots of the past", metadata: ["files": "\(written)"]) }
            } catch {
                // A missing snapshot only costs a longer fold.
                if !Task.isCancelled {
                    logger.warning("Snapshots of the past are missing", metadata: ["error": "\(sentence(of: error))"])
                }
            }
        }
        return DaemonPart(name: "The snapshot writer") {
            // The end of a part ends the daemon, so wait for the shutdown.
            await cancelWhenGracefulShutdown {
                await ready.wait()
                await fill()
                for await _ in history.gaps { await fill() }
                try? await gracefulShutdown()
            }
        }
    }

    /// Indexes the records by the paths that they change.
    ///
    /// Runs every few seconds once the daemon is ready, in a fiftieth of a processor, and for a second at the end.
    static func indexingPaths<App: DaemonApp>(of history: History<App>, after ready: OneShotEvent<Void>) -> DaemonPart {
        DaemonPart(name: "The path index") {
            await cancelWhenGracefulShutdown {
                await ready.wait()
                repeat {
                    // The index is a cache: without it, queries take longer.
                    _ = try? await history.indexPaths(resting: 49)
                } while (try? await Task.sleep(for: .seconds(10))) != nil
            }
            _ = try? await history.indexPaths(until: .now + .seconds(1))
        }
    }

    /// Logs the head of the action log within an hour of a change.
    static func tellingHead<App: DaemonApp>(
        of history: History<App>, to journal: HeadLogger, on clock: some Clock<Duration> = ContinuousClock()
    ) -> DaemonPart {
        DaemonPart(name: "The hourly head") {
            await cancelWhenGracefulShutdown {
                while (try? await clock.sleep(for: HeadLogger.pause)) != nil {
                    guard journal.sequence != history.head else { continue }
                    // If the store is busy, the next snapshot or the next hour logs it.
                    if let head = try? await history.anchoredHead() { journal.tell(head) }
                }
            }
        }
    }

    /// Writes the debug output to the daemon's log while debugging is on.
    static func debugLog<App: DaemonApp>(of debugging: Debugging<App>) -> DaemonPart {
        // The debug log has its own level, because debugging was turned on in order to be read.
        var logger = Logger(label: "debug")
        logger.logLevel = .debug
        return DaemonPart(name: "The debug log") { [logger] in
            await cancelWhenGracefulShutdown {
                while !Task.isCancelled {
                    do {
                        try await debugging.follow { record in
                            var metadata: Logger.Metadata = ["sequence": "\(record.sequence)", "action": "\(record.actionName)"]
                            if let uid = record.origin { metadata["uid"] = "\(uid)" }
                            for line in [record.action.description] + record.lines { logger.debug("\(line)", metadata: metadata) }
                        }
                    } catch {
                        // Debugging never ends the daemon, and its end is not logged.
                        if Task.isCancelled || error as? StoreError == .stopping { return }
                        logger.warning("Debugging continues with the next record", metadata: ["error": "\(sentence(of: error))"])
                    }
                }
            }
        }
    }

    static func serving(_ server: VarlinkServer, on sockets: Sockets, stopSeconds: Int, accepting: OneShotEvent<Void>)
        -> DaemonPart
    {
        let descriptors = sockets.descriptors
        // A daemon that serves only inherited connections is done when they are closed.
        return DaemonPart(name: "The server", lasts: sockets.areListening) {
            try await withGracefulShutdownHandler {
                try await server.run(on: descriptors) { accepting.open() }
            } onGracefulShutdown: {
                // The remaining time is for the store's last snapshot.
                server.stop(within: .seconds(max(1, stopSeconds / 2)))
            }
        }
    }
}

func sentence(of error: any Error) -> String { (error as? StoreError).map { APIError($0).message } ?? "\(error)" }

/// Happens once, with a value for all tasks that wait for it.
final class OneShotEvent<Value: Sendable>: Sendable {
    private struct State {
        var value: Value?
        var waiting: [UInt64: AsyncStream<Never>.Continuation] = [:]
        var lastNumber: UInt64 = 0
    }

    private let state = Mutex(State())

    var value: Value? { state.withLock { $0.value } }

    var waitingCount: Int { state.withLock { $0.waiting.count } }

    func open(_ value: Value) {
        let waiting = state.withLock { state in
            state.value = state.value ?? value
            return Array(state.waiting.values)
        }
        for waiter in waiting { waiter.finish() }
    }

    /// Returns when the event has happened, or without a value when the task is cancelled; that does not affect other tasks.
    @discardableResult
    func wait() async -> Value? {
        let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
        let number = state.withLock { state -> UInt64? in
            guard state.value == nil else { return nil }
            state.lastNumber += 1
            state.waiting[state.lastNumber] = continuation
            return state.lastNumber
        }
        if let number {
            for await _ in stream {}
            state.withLock { _ = $0.waiting.removeValue(forKey: number) }
        }
        return value
    }
}

extension OneShotEvent<Void> {
    func open() { open(()) }
}

/// Writes the head of the action log to the daemon's log, so that the two can be compared later.
final class HeadLogger: Sendable {
    /// Maximum time until a changed head is logged, unless a snapshot logs it.
    static let pause: Duration = .seconds(3600)

    private let last = Mutex<HeadCheckpoint?>(nil)
    private let logger: Logger

    init(_ logger: Logger) { self.logger = logger }

    var sequence: UInt64? { last.withLock { $0?.sequence } }

    func tell(_ head: HeadCheckpoint) {
        let isNew = last.withLock { last in
            defer { last = head }
            return last != head
        }
        if isNew { logger.info("Head", metadata: ["head": "\(head)", "sequence": "\(head.sequence)"]) }
    }

    func tellEnd<State: CanonicalCodable>(_ end: CommittedState<State>, of log: any ActionLog) {
        // The last snapshot has logged it already.
        guard sequence != end.sequence, let chain = try? log.checksum(of: end.sequence) else { return }
        let digest = end.state.digestAndByteCount.digest
        tell(HeadCheckpoint(sequence: end.sequence, chain: chain, digest: digest, redactions: end.redactions))
    }
}
