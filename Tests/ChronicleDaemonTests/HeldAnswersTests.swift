import Chronicle
import ChronicleStore
import Testing
import TodoAPI

@testable import ChronicleDaemon

@Suite struct HeldAnswersTests {
    /// Changes of about this many bytes.
    private func changes(bytes: Int) -> [Change] {
        [Change(path: "todos.items", kind: .insert, id: 1, new: .text(String(repeating: "x", count: bytes)))]
    }

    @Test func `a slow reader gets no further answers until it has read one, and others are not affected`() async throws {
        let held = UserQuota()
        let half = changes(bytes: AnswerLimits.heldBytesMax / 2 - 1_000)
        try await held.hold(half, for: 7) {
            try await held.hold(half, for: 7) {
                await #expect(throws: APIError.queryBusy) { try await held.hold(half, for: 7) {} }
                try await held.hold(half, for: 8) {}
            }
            try await held.hold(half, for: 7) {}
        }
        // A single answer may be larger.
        try await held.hold(changes(bytes: 2 * AnswerLimits.heldBytesMax), for: 7) {}
    }
}
