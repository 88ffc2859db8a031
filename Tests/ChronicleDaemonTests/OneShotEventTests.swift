import Synchronization
import Testing

@testable import ChronicleDaemon

@Suite struct OneShotEventTests {
    @Test func `a cancelled waiter does not cause the event for others`() async throws {
        let event = OneShotEvent<Void>()
        let told = Mutex<[String]>([])
        let patient = Task {
            await event.wait()
            told.withLock { $0.append("through") }
        }
        let impatient = Task { await event.wait() }
        impatient.cancel()
        await impatient.value
        // Enough time for the other waiter to pass if it could.
        for _ in 0..<1_000 { await Task.yield() }
        told.withLock { $0.append("opened") }
        event.open()
        await patient.value
        await event.wait()
        #expect(told.withLock { $0 } == ["opened", "through"])
        #expect(event.waitingCount == 0)
    }
}
