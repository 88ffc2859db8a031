import Synchronization
import Testing

@testable import ChronicleDaemon

@Suite struct GateTests {
    @Test func `whoever waits no longer opens the gate for nobody else`() async throws {
        let gate = Gate()
        let told = Mutex<[String]>([])
        let patient = Task {
            await gate.wait()
            told.withLock { $0.append("through") }
        }
        let impatient = Task { await gate.wait() }
        impatient.cancel()
        await impatient.value
        // Time enough to slip through, if it could.
        for _ in 0..<1_000 { await Task.yield() }
        told.withLock { $0.append("opened") }
        gate.open()
        await patient.value
        await gate.wait()
        #expect(told.withLock { $0 } == ["opened", "through"])
    }
}
