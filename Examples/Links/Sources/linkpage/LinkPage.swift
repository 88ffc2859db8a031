import ChronicleDaemon
import ChronicleStore
import LinkFeatures
import Logging
import ServiceLifecycle

/// A program of its own that owns the same store: it says what changes, and serves `todoctl` on a socket.
@main enum LinkPage {
    static let program = Program(name: "linkpage", version: "1.0.0")

    static func main() async throws {
        let (directory, socket) = (CommandLine.arguments[1], CommandLine.arguments[2])
        let store = try Store<LinkApp>(of: program, in: directory)
        let services: [any Service] = [
            StoreSocket(store, of: program, at: socket, running: LinkChecker()), Page(store: store),
        ]
        try await ServiceGroup(
            services: services, gracefulShutdownSignals: [.sigterm, .sigint], logger: Logger(label: program.name)
        ).run()
        await store.stop()
    }
}

/// Prints how many links answer, whenever that changes.
struct Page: Service {
    let store: Store<LinkApp>

    func run() async throws {
        var last = -1
        for try await present in store.states().cancelOnGracefulShutdown() {
            let count = present.state.links.items.elements.count { $0.status == 200 }
            if count != last { print("\(count) links answer") }
            last = count
        }
    }
}

extension LinkApp: DaemonApp {}
