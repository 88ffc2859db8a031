import AppFeature
import ServiceLifecycle
import StoreRuntime

/// Stops the store when everybody who uses it has stopped.
struct StoreService: Service {
    let store: Store<App>

    func run() async throws {
        try? await gracefulShutdown()
        await store.stop()
    }
}
