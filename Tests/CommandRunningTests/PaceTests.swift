import Chronicle
import ChronicleLog
import ChronicleTesting
import DiskLog
import TestSupport
import Testing

@testable import ChronicleStore

@Suite(.timeLimit(.minutes(15))) struct PaceTests {
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

    @Test func `a debounce runs only the newest command, once nothing was requested for the whole interval`() async throws {
        try await withSimulation(Errands.State(), of: Errands.self, on: workshop, clock: clock) { simulation in
            for text in ["s", "sw", "swi"] {
                try await simulation.dispatch([.run(typed(text))])
                try await simulation.advance(by: .seconds(9))
            }
            #expect(simulation.state.ended == ["s superseded", "sw superseded"])
            #expect(simulation.state.done.isEmpty)
            try await simulation.advance(by: .seconds(60))
            #expect(simulation.state.done == ["swi"])
            #expect(simulation.attempts.map(\.elapsed) == [.seconds(28)])
        }
    }

    @Test func `a debounced command supersedes waiting ones, but of a running one only its retry`() async throws {
        try await withStore { store in
            let first = try await store.run(typed("s"))[0]
            try await store.submit(.begin(first, attempt: 1))
            let second = try await store.run(typed("sw"))[0]
            let third = try await store.run(typed("swi"))[0]
            #expect(try await store.commands().map(\.id) == [first, third])
            #expect(await store.error(of: .begin(second, attempt: 1)) == .commandClosed(second))
            try await store.submit(.postpone(first, due: 1, reason: "no"))
            #expect(try await store.commands().map(\.id) == [third])
            #expect(store.present.state.ended == ["sw superseded", "s superseded"])
        }
    }

    // The throttle interval is measured in record times, which differ.
    @Test func `a throttle starts the first command at once and the newest of the others after the interval`() async throws {
        try await withSimulation(Errands.State(), of: Errands.self, on: workshop, clock: clock) { simulation in
            try await simulation.dispatch([.run(saved("1"))])
            for text in ["2", "3", "4"] {
                try await simulation.advance(by: .seconds(10))
                try await simulation.dispatch([.run(saved(text))])
            }
            try await simulation.advance(by: .seconds(90))
            try await simulation.dispatch([.run(saved("5"))])
            try await simulation.advance(by: .seconds(60))
            #expect(simulation.state.done == ["1", "4", "5"])
            #expect(simulation.state.ended == ["2 superseded", "3 superseded"])
            let (second, third) = (Duration.seconds(60) + .microseconds(1), Duration.seconds(120) + .microseconds(1))
            #expect(simulation.attempts.map(\.elapsed) == [.zero, second, third])
        }
    }

    @Test func `a throttle interval outlasts a restart and applies to commands requested afterwards`() async throws {
        let directory = TemporaryDirectory()
        do {
            let log = try openLog(directory.path)
            try await withSimulation(Errands.State(), of: Errands.self, on: workshop, log: log, clock: clock) { simulation in
                try await simulation.dispatch([.run(saved("1"))])
                #expect(simulation.state.done == ["1"])
            }
        }
        clock.advance(by: .seconds(20))
        let log = try openLog(directory.path)
        try await withSimulation(Errands.State(), of: Errands.self, on: workshop, log: log, clock: clock) { simulation in
            try await simulation.dispatch([.run(saved("2"))])
            try await simulation.advance(by: .seconds(60))
            #expect(simulation.attempts.map(\.elapsed) == [.seconds(40) + .microseconds(1)])
        }
    }

    @Test func `a start that was not written does not begin a throttle interval`() async throws {
        let log = FailingLog()
        try await withStore(log, clock: clock) { store in
            let first = try await store.run(saved("1"))[0]
            log.failNext(with: .storageFull(.disk, message: "full"))
            #expect(await store.error(of: .begin(first, attempt: 1)) == .storageFull("full"))
            try await store.run(saved("2"))
            #expect(try await store.commands().map(\.row.due) == [0])
            try await store.submit(.begin(CommandID(sequence: 2, index: 0), attempt: 1))
            #expect(log.head.throttles.count == 1)
        }
    }

    @Test(arguments: [(nil, 0), (99, 0), (100, 0), (130, 130), (1_000_000_000, 60_000_100)] as [(Int64?, Int64)])
    func `a command at 100 waits for the last start, but no longer than the interval`(until: Int64?, due: Int64) {
        #expect(Throttle.due(asked: 100, interval: 60_000_000, until: until) == due)
    }

    @Test func `if there are too many throttle names, the ones that expire first are forgotten`() {
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
