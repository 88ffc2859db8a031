import AppFeature
import DaemonProcess
import Logging
import ServiceLifecycle
import TimeTravel

/// Writes the snapshots of the past that are missing, once the daemon is ready and when some were taken away: queries go before it, and
/// dispatches don't notice.
struct GapFilling: Service {
    private let timeline: Timeline<App>
    private let ready: Gate
    private let logger: Logger

    init(of timeline: Timeline<App>, after ready: Gate, logger: Logger) {
        self.timeline = timeline
        self.ready = ready
        self.logger = logger
    }

    func run() async {
        // A service that ends would end the daemon, so this one stays until the others go.
        await cancelWhenGracefulShutdown {
            await self.ready.wait()
            await self.fill()
            for await _ in self.timeline.losses { await self.fill() }
            try? await gracefulShutdown()
        }
    }

    private func fill() async {
        do {
            let written = try await timeline.fillGaps(resting: 9)
            if written > 0 { logger.info("Wrote snapshots of the past", metadata: ["files": "\(written)"]) }
        } catch {
            // What is missing is folded again whenever somebody asks.
            if !Task.isCancelled { logger.warning("Snapshots of the past are missing", metadata: ["error": "\(error)"]) }
        }
    }
}
