import TestSupport
import Testing
import TodoClient
import Varlink

@Suite(.ownThreads) struct ActivityTests {
    private static let method = "org.todod.History.Scan"

    @Test func `a client gets the activity of the whole log or of a range`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        let none = try client.call(Self.method, ["question": "activity", "buckets": 2])
        #expect(none["begin"] == 0 && none["end"] == 0 && none["sequences"] == [0, 0, 0])
        for number in 1...40 { try client.dispatch([Actions.add("Todo \(number)"), Actions.increment]) }
        let times = try client.log().compactMap { $0["time"]?.int }
        for (first, last) in [(1, times.count), (7, 31)] {
            let answer = try client.call(
                Self.method,
                [
                    "question": "activity", "from": ["sequence": .int(Int64(first))], "to": ["sequence": .int(Int64(last))],
                    "buckets": 10,
                ])
            let (from, to) = (times[first - 1], times[last - 1])
            #expect(answer["begin"]?.int == from && answer["end"]?.int == to)
            #expect(answer["epoch"]?.int == (try client.status()["epoch"]?.int))
            let counts = (1...9).map { stretch in
                times[first - 1..<last].count { $0 <= from + (to - from) * Int64(stretch) / 10 }
            }
            let sequences = [first - 1] + counts.map { first - 1 + $0 } + [last]
            #expect(answer["sequences"] == .list(sequences.map { .int(Int64($0)) }))
        }
    }

    @Test func `an invalid number of buckets is refused`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        #expect(try client.call(Self.method, ["question": "activity", "buckets": 1_000])["sequences"]?.list?.count == 1_001)
        for buckets in [0, 1_001, 9_007_199_254_740_991] as [Int64] {
            let reply = try client.ask(Self.method, ["question": "activity", "buckets": .int(buckets)])
            #expect(reply.error == "org.varlink.service.InvalidParameter", "\(buckets)")
            #expect(reply.parameters["parameter"] == "buckets")
        }
    }
}
