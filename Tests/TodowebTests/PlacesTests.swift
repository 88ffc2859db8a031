import Testing

@testable import todoweb

@Suite struct PlacesTests {
    var places = Places<Int>(knownMax: 2, strangersMax: 3)

    /// Those that had to go for new ones.
    mutating func leaving(for connections: ClosedRange<Int>) -> [Int] {
        var leaving: [Int] = []
        for connection in connections {
            if let one = places.enter(connection) { leaving.append(one) }
        }
        return leaving
    }

    @Test mutating func `of those without the token the one goes that has done nothing for longest`() {
        let none = leaving(for: 1...3)
        places.ask(1)
        let silent = leaving(for: 4...4)
        places.leave(3)
        let room = leaving(for: 5...5)
        let asked = leaving(for: 6...6)
        #expect(none == [] && silent == [2] && room == [] && asked == [1])
    }

    @Test mutating func `who showed the token keeps the place, however many come`() {
        var none = leaving(for: 1...2)
        let shown = [places.show(1), places.show(2), places.show(1)]
        none += leaving(for: 3...5)
        #expect(none == [] && shown == [true, true, true])
        let gone = leaving(for: 6...100)
        #expect(gone == Array(3...97))
        let beyond = places.show(100)
        places.leave(1)
        let then = places.show(100)
        #expect(!beyond && then)
    }

    @Test mutating func `who has gone is given no place`() {
        _ = leaving(for: 1...1)
        places.leave(1)
        places.ask(1)
        let isShown = places.show(1)
        #expect(!isShown)
    }
}
