import CommandRunning
import DiskLog
import Records
import Reducing
import StoreTesting
import TestSupport
import Testing

@testable import StoreRuntime

@Suite(.timeLimit(.minutes(1))) struct PaceTests {
    private let clock = TestClock()
    private let workshop = Workshop()

    private func typed(_ text: String) -> Errand {
        Errand(text).with {
            $0.cancelID = "search"
            $0.debounce = 10
        }
    }

    private func saved(_ text: String) -> Errand {
        Errand(text).with {
            $0.cancelID = "save"
            $0.throttle = 60
        }
    }

    /// Passes time in steps that the runner takes to look at its clocks.
    private func pass(_ seconds: Int, _ microseconds: Int = 0) async throws {
        let end = clock.now.advanced(by: .seconds(seconds) + .microseconds(microseconds))
        while clock.now < end {
            try await clock.sleeping(1)
            let next = min(clock.dues.first ?? end, end)
            clock.advance(by: clock.now.duration(to: max(next, clock.now)))
        }
    }

    @Test func `of what is asked for in quick succession the newest runs, once nothing came for so long`() async throws {
        try await withRunner(InMemoryActionLog(), workshop, .test(clock), clock: clock) { store, _ in
            let start = clock.microseconds
            for (count, text) in ["s", "sw", "swi"].enumerated() {
                try await store.run(typed(text))
                // What the runner does it does in order, so it has heard of the one before.
                try await store.run(Errand("other"))
                try await store.reaches { $0.done.count == count + 1 }
                try await pass(9)
            }
            #expect(store.present.state.ended == ["s superseded", "sw superseded"])
            #expect(!workshop.texts.contains("swi"))
            try await pass(1)
            try await store.reaches { $0.done.last == "swi" }
            #expect(clock.microseconds == start + 28_000_000)
        }
    }

    @Test func `what has begun goes on beside the one that waits, and a further attempt is left to that`() async throws {
        try await withStore { store in
            let first = try await store.run(typed("s"))[0]
            try await store.submit(.begin(first))
            let second = try await store.run(typed("sw"))[0]
            let third = try await store.run(typed("swi"))[0]
            #expect(try await store.commands().map(\.id) == [first, third])
            #expect(await store.error(of: .begin(second)) == .commandClosed(second))
            try await store.submit(.postpone(first, due: 1, reason: "no"))
            #expect(try await store.commands().map(\.id) == [third])
            #expect(store.present.state.ended == ["sw superseded", "s superseded"])
        }
    }

    // The interval is counted from a start's place among the records, whose times differ.
    @Test func `the first starts at once, the newest of the others when the interval is over`() async throws {
        try await withRunner(InMemoryActionLog(), workshop, .test(clock), clock: clock) { store, _ in
            let start = clock.microseconds
            try await store.run(saved("1"))
            try await store.reaches { $0.done == ["1"] }
            #expect(clock.microseconds == start)
            for text in ["2", "3", "4"] {
                clock.advance(by: .seconds(10))
                try await store.run(saved(text))
            }
            try await pass(29)
            try await clock.sleeping(1)
            #expect(workshop.calls.count == 1)
            try await pass(1, 9)
            try await store.reaches { $0.done == ["1", "4"] }
            #expect(clock.microseconds == start + 60_000_009)
            #expect(store.present.state.ended == ["2 superseded", "3 superseded"])
            clock.advance(by: .seconds(60))
            try await store.run(saved("5"))
            try await store.reaches { $0.done == ["1", "4", "5"] }
            #expect(clock.microseconds == start + 120_000_009)
        }
    }

    @Test func `the interval is waited for over restarts, also by one that is asked for only then`() async throws {
        let directory = TemporaryDirectory()
        do {
            let log = try openLog(directory.path)
            try await withRunner(log, workshop, .test(clock), clock: clock) { store, _ in
                try await store.run(saved("1"))
                try await store.reaches { $0.done == ["1"] }
            }
        }
        clock.advance(by: .seconds(20))
        let log = try openLog(directory.path)
        let start = clock.microseconds
        try await withRunner(log, workshop, .test(clock), clock: clock) { store, _ in
            try await store.run(saved("2"))
            try await pass(39)
            try await clock.sleeping(1)
            #expect(workshop.calls.count == 1)
            try await pass(1, 9)
            try await store.reaches { $0.done == ["1", "2"] }
            #expect(clock.microseconds == start + 40_000_009)
        }
    }

    @Test func `a start that could not be written throttles nobody`() async throws {
        let log = FailingLog()
        try await withStore(log, clock: clock) { store in
            let first = try await store.run(saved("1"))[0]
            log.failNext(with: .storageFull(.disk, message: "full"))
            #expect(await store.error(of: .begin(first)) == .storageFull("full"))
            try await store.run(saved("2"))
            #expect(try await store.commands().map(\.row.due) == [0])
            try await store.submit(.begin(CommandID(sequence: 2, index: 0)))
            #expect(log.head.throttles.count == 1)
        }
    }

    @Test(arguments: [(nil, 0), (99, 0), (100, 0), (130, 130), (1_000_000_000, 60_000_100)] as [(Int64?, Int64)])
    func `who is asked for at 100 waits for the last start, and never longer than the interval`(until: Int64?, due: Int64) {
        #expect(Throttle.due(asked: 100, interval: 60_000_000, until: until) == due)
    }

    @Test func `of more names than are kept those are forgotten whose time is over first`() {
        var outbox = Outbox<Errand>([], heldThrough: 0) { _ in nil }
        for number in 0...Limits.throttlesMax {
            outbox.throttle("\(number)", from: 10, for: .microseconds(100 + number))
        }
        #expect(outbox.throttles.count == Limits.throttlesMax)
        #expect(outbox.due("0", asked: 50, interval: .seconds(60)) == 0)
        #expect(outbox.due("1", asked: 50, interval: .seconds(60)) == 111)
        outbox.throttle("x", from: 1_000, for: .microseconds(1))
        #expect(outbox.throttles.count == 1)
    }
}
