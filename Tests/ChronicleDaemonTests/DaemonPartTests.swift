import LinuxService
import ServiceLifecycle
import ServiceLifecycleTestKit
import Testing

@testable import ChronicleDaemon

@Suite struct DaemonPartTests {
    @Test func `a service that ends before the daemon stops is a failure`() async throws {
        await #expect(throws: StartFailure.self) { try await DaemonPart(name: "A short one") {}.run() }
        try await DaemonPart(name: "What may end", lasts: false) {}.run()
        try await testGracefulShutdown { trigger in
            trigger.triggerGracefulShutdown()
            try await DaemonPart(name: "A long one") { try? await gracefulShutdown() }.run()
        }
    }
}
