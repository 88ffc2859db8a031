import AppFeature
import CommandRunning
import Logging
import Reducing
import ServiceLifecycle
import StoreRuntime

/// Runs the commands from when the daemon is ready until it stops; the store stops after it.
struct Commands<Target: CommandTarget>: Service where Target.Command == App.Command, Target.Action == App.Action {
    private let runner: CommandRunner<App, Target>
    private let ready: Gate

    init(of store: Store<App>, target: Target, after ready: Gate, logger: Logger) {
        let options = RunnerOptions(crashPoints: store.crashPoints) { logger.note($0) }
        runner = CommandRunner(store: store, target: target, options: options)
        self.ready = ready
    }

    func run() async throws {
        try await cancelWhenGracefulShutdown {
            await ready.wait()
            if !Task.isCancelled { try await runner.run() }
        }
    }
}

extension Logger {
    /// Writes what a runner has to say, as loud as it matters.
    fileprivate func note(_ note: RunnerNote) {
        var metadata: Logger.Metadata = ["command": "\(note.name)", "id": "\(note.id)"]
        if !note.reason.isEmpty { metadata["reason"] = "\(note.reason)" }
        switch note.event {
        case .retrying(let pause):
            metadata["after"] = "\(pause.components.seconds) s"
            notice("An attempt at a command failed", metadata: metadata)
        case .failed: warning("A command failed", metadata: metadata)
        case .parked: warning("A command waits for a person", metadata: metadata)
        case .late: info("A command brought something back after its end", metadata: metadata)
        case .waitingForRoom: warning("The end of a command waits for room on the disk", metadata: metadata)
        }
    }
}
