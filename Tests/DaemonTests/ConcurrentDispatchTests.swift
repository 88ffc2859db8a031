import TestSupport
import Testing
import TodoClient
import Varlink

@Suite(.ownThreads) struct ConcurrentDispatchTests {
    static let connections = 8
    static let dispatches = Sanitizer.share(of: 10_000)

    @Test func `eight connections dispatch at once, and the log is one serial history of all dispatches`()
        throws
    {
        let daemon = try Daemon.started()
        let path = daemon.socket
        let sequences = try onThreads(Self.connections, seconds: 240) { index in
            var author = Author(seed: UInt64(index))
            return try author.dispatch(Self.dispatches, over: Client(path, seconds: 120))
        }

        // The replies arrived in the order of the calls, and each has the one record of its action.
        for own in sequences {
            #expect(own.count == Self.dispatches)
            #expect(zip(own, own.dropFirst()).allSatisfy { $0 < $1 })
        }
        let total = Int64(Self.connections * Self.dispatches)
        // Compared before the expectations, which would otherwise format eighty thousand records to show a difference.
        let isWithoutGap = sequences.joined().sorted() == Array(1...total)
        #expect(isWithoutGap)

        let client = try daemon.connect()
        #expect(try client.sequence() == total)
        let log = try client.log()
        let isInOrder = log.map { $0["sequence"]?.int ?? 0 } == Array(1...total)
        #expect(isInOrder)
        let times = log.map { $0["time"]?.int ?? 0 }
        let isRising = zip(times, times.dropFirst()).allSatisfy { $0 < $1 }
        #expect(isRising)
        let isFold = try Model(log: log) == Model(state: client.state())
        #expect(isFold)
    }
}

/// A client that dispatches a mix of actions on its own todos, 64 in flight.
private struct Author {
    private var generator: SeededGenerator
    private var own: [Int64] = []

    init(seed: UInt64) { generator = SeededGenerator(seed) }

    /// Returns the sequences in the order of the calls.
    mutating func dispatch(_ count: Int, over client: Client) throws -> [Int64] {
        var sequences: [Int64] = []
        var sent = 0
        while sequences.count < count {
            while sent < count, sent - sequences.count < 64 {
                try client.send("org.todod.Store.Dispatch", Client.dispatch([action(sent)]))
                sent += 1
            }
            let answer = try Client.Answer(Client.result(client.receive()))
            guard answer.sequences.count == 1, !answer.isDuplicate else {
                throw Unexpected("one record is expected, not \(answer.sequences)")
            }
            sequences += answer.sequences
            own += answer.ids
        }
        return sequences
    }

    private mutating func action(_ number: Int) -> Value {
        let id = own.randomElement(using: &generator)
        switch (Int.random(in: 0..<12, using: &generator), id) {
        case (0..<2, let id?): return Actions.edit(id, title: "Title number \(number)")
        case (2, let id?):
            own.removeAll { $0 == id }
            return Actions.remove(id)
        case (4..<7, _): return Actions.add("Todo \(number)")
        case (7, _): return Actions.text("draft \(number)")
        default: return Actions.increment
        }
    }
}
