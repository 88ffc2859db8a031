import Synchronization
import Testing

@testable import ChronicleDaemon

@Suite struct GateTests {
    @Test func `a cancelled waiter does not open the gate for others`() async throws {
        let gate = OneShotEvent()
        let told = Mutex<[String]>([])
        let patient = Task {
            await gate.wait()
            told.withLock { $0.append("through") }
        }
        let impatient = Task { await gate.wait() }
        impatient.cancel()
        await impatient.value
        // Enough time for the other waiter to pass if it could.
        for _ in 0..<1_000 { await Task.yield() }
        told.withLock { $0.append("opened") }
        gate.open()
        await patient.value
        await gate.wait()
        #expect(told.withLock { $0 } == ["opened", "through"])
    }
}
