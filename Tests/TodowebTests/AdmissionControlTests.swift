import Testing

@testable import todoweb

@Suite struct AdmissionControlTests {
    var admission = AdmissionControl<Int>(authenticatedMax: 2, unauthenticatedMax: 3)

    /// Those that had to go for new ones.
    mutating func leaving(for connections: ClosedRange<Int>) -> [Int] {
        var leaving: [Int] = []
        for connection in connections {
            if let one = admission.enter(connection) { leaving.append(one) }
        }
        return leaving
    }

    @Test mutating func `of those without the token the one goes that has done nothing for longest`() {
        let none = leaving(for: 1...3)
        admission.touch(1)
        let silent = leaving(for: 4...4)
        admission.leave(3)
        let room = leaving(for: 5...5)
        let asked = leaving(for: 6...6)
        #expect(none == [] && silent == [2] && room == [] && asked == [1])
    }

    @Test mutating func `who showed the token keeps the place, however many come`() {
        var none = leaving(for: 1...2)
        let shown = [admission.authenticate(1), admission.authenticate(2), admission.authenticate(1)]
        none += leaving(for: 3...5)
        #expect(none == [] && shown == [true, true, true])
        let gone = leaving(for: 6...100)
        #expect(gone == Array(3...97))
        let beyond = admission.authenticate(100)
        admission.leave(1)
        let then = admission.authenticate(100)
        #expect(!beyond && then)
    }

    @Test mutating func `who has gone is given no place`() {
        _ = leaving(for: 1...1)
        admission.leave(1)
        admission.touch(1)
        let isShown = admission.authenticate(1)
        #expect(!isShown)
    }
}
