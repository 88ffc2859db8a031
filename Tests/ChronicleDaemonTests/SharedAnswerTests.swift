import Synchronization
import Testing

@testable import ChronicleDaemon

@Suite struct SharedAnswerTests {
    @Test func `concurrent callers of a query share its answer, later ones get a new one`() async throws {
        let (shared, asked) = (SharedAnswer<Int>(), Asked())
        let (began, beginning) = AsyncStream<Void>.makeStream()
        let (going, goingOn) = AsyncStream<Void>.makeStream()
        let first = Task {
            try await shared.answer {
                beginning.yield()
                for await _ in going { break }
                return asked.next()
            }
        }
        for await _ in began { break }
        let second = Task { try await shared.answer { asked.next() } }
        while await shared.waitingCount == 0 { await Task.yield() }
        goingOn.yield()
        #expect(try await first.value == 1)
        #expect(try await second.value == 1)
        #expect(try await shared.answer { asked.next() } == 2)
    }

    @Test func `the answer of a cancelled query is not shared`() async throws {
        let (shared, asked) = (SharedAnswer<Int>(), Asked())
        let (began, beginning) = AsyncStream<Void>.makeStream()
        let first = Task {
            try await shared.answer {
                beginning.yield()
                while !Task.isCancelled { await Task.yield() }
                // Half of the answer and no error.
                return asked.next()
            }
        }
        for await _ in began { break }
        let second = Task { try await shared.answer { asked.next() } }
        while await shared.waitingCount == 0 { await Task.yield() }
        first.cancel()
        #expect(try await second.value == 2)
    }

    private final class Asked: Sendable {
        private let number = Atomic<Int>(0)
        func next() -> Int { number.add(1, ordering: .relaxed).newValue }
    }
}
