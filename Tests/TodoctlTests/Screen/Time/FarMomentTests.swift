import Testing

@testable import todoctl

@Suite struct FarMomentTests {
    @Test func `a distant moment is read as a whole, also the first one, and a near one as a diff`() {
        var past = PastState()
        past.begin(TodoList(), at: 1_000_000)
        #expect(past.question(to: 999_500) == .changes(from: 1_000_000, to: 999_500))
        #expect(past.take(changes: [], isLast: true) == true)
        #expect(past.question(to: 500_000) == .whole(at: 500_000))
        #expect(past.take(page: [], isLast: true) == true)
        #expect(past.question(to: 500_900) == .changes(from: 500_000, to: 500_900))
        #expect(past.take(changes: [], isLast: true) == true)
        // Records without changes say nothing about distant ones.
        #expect(past.question(to: 530_000) == .whole(at: 530_000))
    }
}
