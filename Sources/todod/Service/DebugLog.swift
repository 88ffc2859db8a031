import Logging
import Reducing
import ServiceLifecycle
import StoreRuntime
import TodoAPI
import Varlink

/// Writes what is debugged to the daemon's log, while anything is.
struct DebugLog: Service {
    private let debugging: Debugging
    private let logger: Logger

    init(of debugging: Debugging) {
        self.debugging = debugging
        // Whoever turned it on wants to read it, whatever the level of the rest is.
        var logger = Logger(label: "debug")
        logger.logLevel = .debug
        self.logger = logger
    }

    func run() async {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                do {
                    try await write()
                } catch {
                    // What is only looked at never ends the daemon, and that it stops is no news.
                    if Task.isCancelled || error as? StoreError == .stopping { return }
                    logger.warning("Debugging goes on with the next record", metadata: ["error": "\(error)"])
                }
            }
        }
    }

    private func write() async throws {
        try await debugging.follow { record in
            logger.debug("\(record.action.jsonText)", metadata: ["sequence": "\(record.sequence)"])
            for line in record.lines { logger.debug("\(line)", metadata: ["sequence": "\(record.sequence)"]) }
        }
    }
}
