import Chronicle
import ChronicleLog
import ChronicleStore
import ChronicleTesting
import FeatureApp
import FeatureCounter
import FeatureTodos
import TestSupport
import Testing
import TimeTravel

/// Tests of a subscriber that begins in the past and continues into the present.
@Suite(.timeLimit(.minutes(15))) struct PlayTests {
    /// The items of a play, folded without other information.
    private struct Viewer {
        var screen: Screen?
        /// The sequences of the states and of the changes that arrived.
        var states: [UInt64] = []
        var changes: [UInt64] = []
        /// The last record of the reported end.
        var end: UInt64?

        mutating func take(_ item: StateItem<App>, states known: [App.State]) {
            let state = known[Int(item.sequence)]
            guard item.isPast || states.isEmpty else {
                end = item.sequence
                return #expect(item.records.isEmpty && item.skipped == item.sequence - (changes.last ?? states[0]))
            }
            #expect(item.isPast && end == nil)
            switch item.content {
            case .page(_, let isLast):
                guard isLast else { return }
                states.append(item.sequence)
                screen = Screen(state, of: App.self)
            case .changes(let all):
                let last = changes.last ?? states.last ?? 0
                #expect(item.sequence > last && item.records.map(\.header.sequence) == [item.sequence])
                #expect(item.sequence - last == item.skipped + 1)
                changes.append(item.sequence)
                for change in all { #expect(screen?.apply(change) == true, "\(change)") }
                #expect(screen == Screen(state, of: App.self), "record \(item.sequence)")
            }
        }
    }

    @Test(arguments: 1...6 as ClosedRange<UInt64>)
    func `the items of a play equal the fold at every record, without duplicates or gaps`(seed: UInt64) async throws {
        let sample = try SampleLog.random(seed, records: 120)
        let present = CommittedState(epoch: 1, sequence: sample.head, time: 1, state: sample.state, scopes: App.scopes.count)
        for start in [0, 1, 57, sample.head] {
            var viewer = Viewer()
            let reached = try await sample.history().play(from: .sequence(start), scope: nil, at: nil) {
                present
            } deliver: {
                viewer.take($0, states: sample.states)
            }
            #expect(reached.sequence == sample.head && viewer.states == [start])
            let changed = (start..<sample.head).map { $0 + 1 }.filter { sample.states[Int($0)] != sample.states[Int($0) - 1] }
            #expect(viewer.changes == changed)
            #expect(viewer.end == ((changed.last ?? start) == sample.head ? nil : sample.head))
        }
    }

    @Test func `a play of a scope contains only its changes`() async throws {
        let sample = try SampleLog.random(7, records: 200)
        let present = CommittedState(epoch: 1, sequence: sample.head, time: 1, state: sample.state, scopes: App.scopes.count)
        let scope = try #require(App.scopes.firstIndex(of: "counter.count"))
        var delivered: [UInt64] = []
        var end: UInt64?
        _ = try await sample.history().play(from: .start, scope: scope, at: nil) {
            present
        } deliver: { item in
            guard case .changes(let changes) = item.content else { return }
            guard item.isPast else {
                end = item.sequence
                return #expect(changes.isEmpty)
            }
            delivered.append(item.sequence)
            #expect(changes.map(\.path) == ["counter"])
        }
        let counts = sample.states.map(\.counter.count)
        #expect(delivered == (1...sample.head).filter { counts[Int($0)] != counts[Int($0) - 1] })
        #expect(delivered.last != sample.head && end == sample.head)
    }

    @Test func `records that are written during a play with pauses are also delivered one by one`() async throws {
        try await Desk.open { desk in
            try await desk.do(.counter(.increment))
            var delivered: [UInt64] = []
            let reached = try await desk.history.play(from: .start, scope: nil, at: Pace(speed: 1_000_000_000, gapMax: 0)) {
                desk.store.present
            } deliver: { item in
                guard case .changes = item.content else { return }
                delivered.append(item.sequence)
                if item.sequence < 60 { try await desk.do(.counter(.increment), .counter(.increment)) }
            }
            #expect(delivered == Array(1...reached.sequence) && reached.sequence == desk.head)
        }
    }

    @Test func `a subscriber that is slower than the writers still goes live`() async throws {
        try await Desk.open { desk in
            _ = try await desk.store.dispatch(Dispatch(Array(repeating: .counter(.increment), count: 20)))
            var delivered: UInt64 = 0
            let reached = try await desk.history.play(from: .start, scope: nil, at: nil) {
                desk.store.present
            } deliver: { item in
                delivered = item.sequence
                try await desk.do(.counter(.increment), .counter(.increment))
            }
            #expect(reached.sequence == delivered && reached.state.counter.count == Int64(delivered) && desk.head > delivered)
        }
    }

    @Test func `a text that is redacted during a play is not delivered again, and the state is sent again`() async throws {
        try await Desk.open { desk in
            try await desk.do(.todos(.add([Todo(title: "My secret")])))
            for _ in 0..<100 { try await desk.do(.counter(.increment)) }
            try await desk.do(.todos(.edit(1, TodoChanges(note: "new"))))
            var texts: [String] = []
            var states: [UInt64] = []
            _ = try await desk.history.play(from: .sequence(1), scope: nil, at: nil) {
                desk.store.present
            } deliver: { item in
                switch item.content {
                case .page(let page, let isLast):
                    texts.append(page.description)
                    if isLast { states.append(item.sequence) }
                case .changes(let changes): texts += changes.map { "\($0)" }
                }
                guard item.sequence == 5, states == [1] else { return }
                texts = []
                let redaction = try #require(try await desk.history.redaction(of: [1]) { $0.redacted })
                try await desk.store.redact(redaction)
            }
            #expect(states.count == 2 && states[1] > 5)
            #expect(!texts.contains { $0.contains("secret") } && texts.contains { $0.contains("⟨redacted⟩") })
        }
    }

    @Test func `if one record changed more than an item can hold, the state is sent again`() async throws {
        try await Desk.open { desk in
            try await desk.do(.counter(.increment))
            let notes = (1...30).map { Todo(title: "Todo \($0)", note: String(repeating: "n", count: 60_000)) }
            try await desk.do(.todos(.add(notes)))
            try await desk.do(.counter(.increment))
            var delivered: [String] = []
            _ = try await desk.history.play(from: .sequence(0), scope: nil, at: nil) {
                desk.store.present
            } deliver: { item in
                switch item.content {
                case .page(_, let isLast): if isLast { delivered.append("state \(item.sequence)") }
                case .changes: delivered.append("changes \(item.sequence)")
                }
            }
            #expect(delivered == ["state 0", "changes 1", "state 2", "changes 3"])
        }
    }

    @Test func `cancelling a play ends its pause`() async throws {
        let sample = try SampleLog.random(3, records: 2_000)
        let present = CommittedState(epoch: 1, sequence: sample.head, time: 1, state: sample.state, scopes: App.scopes.count)
        let delivered = Collected<UInt64>()
        // At this speed it would take half an hour.
        let play = Task {
            try await sample.history().play(from: .sequence(1), scope: nil, at: Pace(speed: 1)) {
                present
            } deliver: {
                delivered.add($0.sequence)
            }
        }
        while delivered.all.isEmpty { await Task.yield() }
        play.cancel()
        await #expect(throws: (any Error).self) { try await play.value }
    }

    @Test func `a pause is the scaled and limited difference of two times, for any times`() {
        #expect(Pace(speed: 1_000).pause(from: 5_000_000, to: 8_000_000) == .seconds(3))
        #expect(Pace(speed: 60_000).pause(from: 0, to: 60_000_000) == .seconds(1))
        #expect(Pace(speed: 500).pause(from: 0, to: 1_000_000) == .seconds(2))
        #expect(Pace(speed: 1_000, gapMax: 1_500_000).pause(from: 0, to: .max) == .milliseconds(1_500))
        #expect(Pace(speed: 1_000, gapMax: 0).pause(from: 0, to: 9) == .zero)
        #expect(Pace(speed: 1_000).pause(from: 9, to: 3) == .zero)
        #expect(Pace(speed: 1).pause(from: .min, to: .max) >= .seconds(1_000_000_000_000))
    }
}
