import Chronicle
import ChronicleLog
import ChronicleStore
import DiskLog
import Expressions
import FeatureApp
import FeatureCounter
import FeatureTodos
import Glibc
import TestSupport
import Testing
import TimeTravel

/// Tests of queries on a history whose log is compacted before they are answered.
@Suite struct CompactedMeanwhileTests {
    /// A history whose log gets a base as soon as a state is searched.
    private func overtaken(_ sample: SampleLog, by base: UInt64, present sequence: UInt64? = nil) async throws -> History<App> {
        let past = try await sample.history().state(at: .sequence(base))
        let histories = Collected<History<App>>()
        let history = History<App>(
            sample.log, snapshots: nil, fingerprint: "code", base: PastState(state: App.State()),
            present: {
                histories.all.first?.begin(with: past)
                return sequence.map { CommittedState(epoch: 1, sequence: $0, time: 1, state: sample.states[Int($0)], scopes: 0) }
            })
        histories.add(history)
        return history
    }

    private func compact(_ log: LMDBActionLog, _ history: History<App>, to past: PastState<App>) throws {
        try log.compact(to: past, replaced: { history.begin(with: past) })
    }

    @Test func `a state that is compacted away during its search is pruned, and no other one is returned`() async throws {
        let sample = try SampleLog.random(31, records: 60)
        for sequence in [0, 1, 29] as [UInt64] {
            let history = try await overtaken(sample, by: 30)
            await #expect(throws: StoreError.pruned(base: 30)) { try await history.state(at: .sequence(sequence)) }
        }
        let history = try await overtaken(sample, by: 30)
        #expect(try await history.state(at: .sequence(40)).state == sample.states[40])
        #expect(try await history.state(at: .sequence(30)).state == sample.states[30])
    }

    @Test func `a log that gets a base during a query returns no earlier records and no error`() async throws {
        let sample = try SampleLog.random(33, records: 60)
        for query in [LogQuery(limit: 2), LogQuery(), LogQuery(order: .reverse), LogQuery(from: .start)] {
            let history = try await overtaken(sample, by: 30, present: 0)
            #expect(try await !history.log(query).hasMore)
        }
        let history = try await overtaken(sample, by: 30, present: 31)
        var cursor = try await history.log(LogQuery())
        #expect(try await history.page(of: &cursor).map(\.first) == [31])
    }

    @Test func `the origins of values are limited by a base that arrives during the query`() async throws {
        let sample = try SampleLog.random(32, records: 60)
        let gone = try await overtaken(sample, by: 30, present: 20)
        await #expect(throws: StoreError.pruned(base: 30)) { try await gone.origins(below: nil, at: .sequence(20)) }
        let head = sample.head
        let kept = try await overtaken(sample, by: 30, present: head)
        let origins = try await kept.origins(below: nil)
        #expect(!origins.isEmpty && origins.allSatisfy { $0.sequence > 30 })
    }

    @Test func `the history of a path goes back to a base that arrives during the query`() async throws {
        try await withTemporaryDirectory { directory in
            let log = try LMDBActionLog.open(directory: directory, configuration: .small)
            var sample = SampleLog(log)
            for _ in 0..<5 {
                try sample.dispatch(Array(repeating: .counter(.increment), count: 10))
                try sample.leaveSnapshot(at: sample.head, in: directory)
            }
            let history = sample.history(directory)
            let past = try await history.proven(at: .sequence(25))
            let origins = try await history.origins(of: try Path("counter.count")) { _ in
                guard log.base == nil else { return }
                do { try compact(log, history, to: past) } catch { Issue.record(error) }
            }
            #expect(origins.map(\.sequence) == Array(26...50))
        }
    }

    @Test func `a large base is read on demand and kept for the next queries`() async throws {
        try await withTemporaryDirectory { directory in
            let log = try LMDBActionLog.open(directory: directory, configuration: .init(mapBytes: 64 << 20))
            var sample = SampleLog(log)
            let long = Todo(title: "Milk", note: String(repeating: "x", count: 60_000))
            try sample.dispatch([.todos(.add(Array(repeating: long, count: 90)))])
            for _ in 0..<20 { try sample.dispatch([.counter(.increment)]) }
            let history = sample.history()
            try compact(log, history, to: try await history.proven(at: .sequence(5)))
            #expect(try await history.state(at: .start).state == sample.states[5])
            for sequence in [5, 6, 20] as [UInt64] {
                #expect(try await history.state(at: .sequence(sequence)).state == sample.states[Int(sequence)])
            }
            #expect(history.work.decoded == 1)
            try compact(log, history, to: try await history.proven(at: .sequence(15)))
            await #expect(throws: StoreError.pruned(base: 15)) { try await history.state(at: .sequence(14)) }
            #expect(try await history.state(at: .sequence(16)).state == sample.states[16])
            #expect(try await history.verify().damages == [])
        }
    }

    @Test(arguments: [LogQuery.Order.forward, .reverse])
    func `a log query without a start begins after a base that arrives during the query`(
        order: LogQuery.Order
    ) async throws {
        try await withTemporaryDirectory { directory in
            let log = try LMDBActionLog.open(directory: directory, configuration: .small)
            let sample = try SampleLog.random(33, records: 600, in: log)
            let history = sample.history(directory)
            var cursor = try await history.log(LogQuery(order: order, groupsTyping: false))
            var found: [UInt64] = []
            if order == .reverse { found += try await history.page(of: &cursor).map(\.last) }
            try compact(log, history, to: try await history.state(at: .sequence(200)))
            while cursor.hasMore { found += try await history.page(of: &cursor).map(\.last) }
            #expect(found.sorted() == Array(201...sample.head))
        }
    }

    @Test func `a log query whose next page was compacted away is pruned, with or without a named start`() async throws {
        try await withTemporaryDirectory { directory in
            let log = try LMDBActionLog.open(directory: directory, configuration: .small)
            let sample = try SampleLog.random(34, records: 600, in: log)
            let history = sample.history(directory)
            var begun = try await history.log(LogQuery(groupsTyping: false))
            var named = try await history.log(LogQuery(from: .sequence(1), groupsTyping: false))
            let count = UInt64(try await history.page(of: &begun).count)
            try compact(log, history, to: try await history.state(at: .sequence(count + 10)))
            await #expect(throws: StoreError.pruned(base: count + 10)) { try await history.page(of: &begun) }
            await #expect(throws: StoreError.pruned(base: count + 10)) { try await history.page(of: &named) }
        }
    }
}
