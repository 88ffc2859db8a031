import Chronicle
import ChronicleLog
import ChronicleStore
import Expressions
import FeatureApp
import FeatureCounter
import FeatureTodos
import Testing
import TimeTravel

@Suite struct LogTests {
    private func all(_ query: LogQuery, of history: History<App>) async throws -> [LogEntry<App>] {
        var cursor = try await history.log(query)
        var entries: [LogEntry<App>] = []
        while cursor.hasMore {
            let page = try await history.page(of: &cursor)
            #expect(page.count <= 257)
            entries += page
        }
        return entries
    }

    @Test(arguments: [LogQuery.Order.forward, .reverse])
    func `a page ends at its limit of bytes, and no record is left out`(order: LogQuery.Order) async throws {
        var sample = SampleLog()
        let note = String(repeating: "x", count: 60_000)
        for number in 0..<50 {
            try sample.dispatch([.todos(.add([Todo(title: "Long \(number)", note: note)])), .counter(.increment)])
        }
        let history = sample.history()
        var query = LogQuery()
        query.order = order
        var cursor = try await history.log(query)
        var pages: [[UInt64]] = []
        while cursor.hasMore { pages.append(try await history.page(of: &cursor).map(\.last)) }
        let all = Array(1...sample.head)
        #expect(pages.flatMap { $0 } == (order == .forward ? all : all.reversed()))
        #expect(
            pages.count > 2 && pages.allSatisfy { $0.count <= 2 * Limits.pageBytesMax / 60_000 + 4 },
            "\(pages.map(\.count))")
    }

    @Test(.timeLimit(.minutes(15))) func `a search continues beside other queries of its uid, and a new one is refused`()
        async throws
    {
        let sample = try SampleLog.random(7, records: 2_000)
        let history = sample.history()
        var query = LogQuery()
        query.actions = ["increment"]
        var cursor = try await history.log(query)
        var found = try await history.page(of: &cursor).count
        #expect(cursor.hasMore)
        try await withThrowingTaskGroup(of: Void.self) { group in
            let places = Collected<CheckedContinuation<Void, Never>>()
            for _ in 0..<Limits.queriesOfAskerMax {
                group.addTask {
                    try await history.queries.admit(.long) { _ in
                        await withCheckedContinuation { places.add($0) }
                    }
                }
            }
            while places.all.count < Limits.queriesOfAskerMax { await Task.yield() }
            var other = try await history.log(query)
            await #expect(throws: StoreError.queryBusy) { _ = try await history.page(of: &other) }
            let begun = cursor
            async let next = page(after: begun, of: history)
            for place in places.all { place.resume() }
            let (count, rest) = try await next
            found += count
            cursor = rest
        }
        while cursor.hasMore { found += try await history.page(of: &cursor).count }
        #expect(found == sample.actions.count { $0 == .counter(.increment) })
    }

    private func page(after cursor: LogCursor<App>, of history: History<App>) async throws -> (Int, LogCursor<App>) {
        var cursor = cursor
        return (try await history.page(of: &cursor).count, cursor)
    }

    @Test func `every filter agrees with a linear walk, in both orders`() async throws {
        let sample = try SampleLog.random(5, records: 700)
        let history = sample.history()
        let names = sample.actions.map { $0.map(name) }
        let texts = sample.actions.map { "\(String(describing: $0))" }
        func check(_ query: LogQuery, _ wanted: (Int) -> Bool) async throws {
            var query = query
            query.groupsTyping = false
            let expected = (1...Int(sample.head)).filter { wanted($0 - 1) }
            #expect(!expected.isEmpty)
            let forward = try await all(query, of: history)
            #expect(forward.map { Int($0.last) } == expected)
            #expect(forward.allSatisfy { $0.count == 1 && $0.record.action == sample.actions[Int($0.last) - 1] })
            #expect(forward.map(\.name) == expected.map { names[$0 - 1] })
            query.order = .reverse
            #expect(try await all(query, of: history).map { Int($0.last) } == expected.reversed())
            query.limit = 7
            #expect(try await all(query, of: history).map { Int($0.last) } == Array(expected.reversed().prefix(7)))
        }
        try await check(LogQuery()) { _ in true }
        try await check(LogQuery(feature: "counter")) { names[$0]?.hasPrefix("counter.") == true }
        try await check(LogQuery(actions: ["todos.add"])) { names[$0] == "todos.add" }
        try await check(LogQuery(actions: ["complete"])) { names[$0] == "todos.complete" }
        try await check(LogQuery(feature: "todos", actions: ["edit"], origin: 1001)) {
            names[$0] == "todos.edit" && sample.headers[$0].origin == 1001
        }
        try await check(LogQuery(search: "ADA")) { texts[$0].contains("Ada") }
        try await check(LogQuery(search: "\u{C9}t\u{E9} \u{E0}")) { texts[$0].contains("Été") }
        try await check(LogQuery(from: .sequence(100), to: .back(50), search: "milk")) {
            texts[$0].contains("Milk") && (100...Int(sample.head) - 50).contains($0 + 1)
        }
        let times = (sample.headers[199].time, sample.headers[299].time)
        try await check(LogQuery(from: .time(times.0 + 1), to: .time(times.1 + 1))) { (200..<300).contains($0) }
    }

    @Test func `an empty range has no entries`() async throws {
        let sample = try SampleLog.random(5, records: 30)
        let history = sample.history()
        for query in [
            LogQuery(feature: "todo"), LogQuery(search: "no such text"), LogQuery(limit: 0),
            LogQuery(from: .time((sample.headers.last?.time ?? 0) + 1)),
            LogQuery(origin: 7), LogQuery(actions: ["todos"]),
        ] {
            #expect(try await all(query, of: history).isEmpty)
        }
        #expect(try await all(LogQuery(from: .start), of: history).count > 20)
        await #expect(throws: StoreError.futureSequence(head: sample.head)) {
            try await history.log(LogQuery(to: .sequence(900)))
        }
        await #expect(throws: StoreError.emptyRange(from: 9, to: 7)) {
            try await history.log(LogQuery(from: .sequence(9), to: .sequence(7)))
        }
        let count = try Expression(number: "counter.count", of: App.shape, on: .value)
        await #expect(throws: StoreError.emptyRange(from: 9, to: 7)) {
            try await history.series(SeriesQuery(count, every: .records(1), from: .sequence(9), to: .sequence(7)))
        }
    }

    @Test func `a range must not end before it begins, or begin after the head`() async throws {
        let sample = try SampleLog.random(5, records: 30)
        let history = sample.history()
        let count = try Expression(number: "counter.count", of: App.shape, on: .value)
        func expectRefused(_ from: TimeTravel.Point, _ to: TimeTravel.Point?, _ error: StoreError) async {
            await #expect(throws: error, "\(from)") { try await history.log(LogQuery(from: from, to: to)) }
            await #expect(throws: error, "\(from)") {
                try await history.series(SeriesQuery(count, every: .records(1), from: from, to: to))
            }
        }
        let times = sample.headers.map(\.time)
        await expectRefused(.sequence(8), .sequence(7), .emptyRange(from: 8, to: 7))
        await expectRefused(.sequence(1), .start, .emptyRange(from: 1, to: 0))
        await expectRefused(.time(times[8]), .time(times[6]), .emptyRange(from: 9, to: 7))
        await expectRefused(.time(times[7] + 2), .time(times[7] + 1), .emptyRange(from: 9, to: 8))
        await expectRefused(.time(.max), nil, .futureSequence(head: sample.head))
        await expectRefused(.time(.max), .time(times[7]), .futureSequence(head: sample.head))
        // There are no later records yet.
        for (from, to) in [(.start, .start), (.time(times[7] + 1), .time(times[7] + 2)), (.time((times.last ?? 0) + 1), nil)]
            as [(TimeTravel.Point, TimeTravel.Point?)]
        {
            #expect(try await history.range(from: from, to: to).isEmpty, "\(from)")
        }
        #expect(try await history.range(from: .time(times[7]), to: .time(times[7])) == 8..<9)
    }

    @Test func `each entry has its changes`() async throws {
        let sample = try SampleLog.random(6, records: 300)
        let history = sample.history()
        for order in [.forward, .reverse] as [LogQuery.Order] {
            for entry in try await all(LogQuery(order: order, showsChanges: true), of: history) {
                let (old, new) = (sample.states[Int(entry.first) - 1], sample.states[Int(entry.last)])
                #expect(entry.changes == App.changes(from: old, to: new, limit: 99))
            }
        }
    }

    @Test func `consecutive typing is one entry`() async throws {
        let log = DiaryLog()
        try log.append([.init(action: .type("a")), .init(action: .type("ab")), .init(action: .type("abc"))])
        try log.append([.init(action: .note("abc"))])
        try log.append([
            .init(action: .type("x"), origin: 1), .init(action: .type("y"), origin: 2), .init(action: .type("yz"), origin: 2),
        ])
        for index in 0..<400 { try log.append([.init(action: .type("\(index)"))]) }
        let history = log.history
        func runs(_ query: LogQuery) async throws -> [String] {
            var cursor = try await history.log(query)
            var runs: [String] = []
            while cursor.hasMore {
                for entry in try await history.page(of: &cursor) {
                    guard case .type(let text)? = entry.record.action else {
                        runs.append("\(entry.first)")
                        continue
                    }
                    runs.append("\(entry.first)-\(entry.last) \(text)")
                }
            }
            return runs
        }
        let expected = ["1-3 abc", "4", "5-5 x", "6-7 yz", "8-407 399"]
        #expect(try await runs(LogQuery()) == expected)
        #expect(try await runs(LogQuery(order: .reverse)) == expected.reversed())
        for limit in 1...5 {
            #expect(try await runs(LogQuery(limit: limit)) == Array(expected.prefix(limit)))
            #expect(try await runs(LogQuery(limit: limit, order: .reverse)) == Array(expected.reversed().prefix(limit)))
        }
        #expect(try await runs(LogQuery(groupsTyping: false)).count == 407)
        #expect(try await runs(LogQuery(search: "YZ")) == ["7-7 yz"])
    }

    private func name(_ action: App.Action) -> String {
        guard case .record(let features) = action.value, let feature = features.first,
            case .record(let actions) = feature.value, let action = actions.first
        else { return "" }
        return "\(feature.name).\(action.name)"
    }
}
