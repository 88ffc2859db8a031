import Chronicle
import ChronicleLog
import ChronicleStore
import DiskLog
import FeatureApp
import FeatureCounter
import FeatureFlows
import FeatureRepositories
import FeatureTodos
import TestSupport
import Testing
import TimeTravel

/// The app in a later version, with a fault: whoever completes a todo is counted.
private enum Faulty: Feature {
    typealias State = App.State
    typealias Action = App.Action
    typealias Command = App.Command

    static func reduce(_ state: inout State, _ action: Action, _ context: Context) -> [Command] {
        let commands = App.reduce(&state, action, context)
        if case .todos(.complete) = action { state.counter.count += 1 }
        return commands
    }
}

/// The app in a later version that loads nothing.
private enum Lazy: Feature {
    typealias State = App.State
    typealias Action = App.Action
    typealias Command = App.Command

    static func reduce(_ state: inout State, _ action: Action, _ context: Context) -> [Command] {
        _ = App.reduce(&state, action, context)
        return []
    }
}

/// The app in a later version, in which whoever counts takes back the question for languages.
private enum Cancelling: Feature {
    typealias State = App.State
    typealias Action = App.Action
    typealias Command = App.Command

    static func reduce(_ state: inout State, _ action: Action, _ context: Context) -> [Command] {
        let commands = App.reduce(&state, action, context)
        if case .counter(.increment) = action { return commands + [.repositories(.cancelLanguages)] }
        return commands
    }
}

@Suite struct RehearsalTests {
    let directory = TemporaryDirectory()

    private func history<Version: Feature>(
        _ version: Version.Type, of log: any ActionLog, _ fingerprint: String
    ) -> History<Version> where Version.State == App.State, Version.Action == App.Action, Version.Command == App.Command {
        History(
            log, snapshots: SnapshotStore(directory: directory.path), fingerprint: fingerprint,
            base: PastState(state: App.State()))
    }

    private func made(_ records: Int = 300) throws -> SampleLog {
        try SampleLog.random(21, records: records, in: try LMDBActionLog.open(directory: directory.path, configuration: .small))
    }

    /// The first record that the faulty version folds differently.
    private func fault(in sample: SampleLog, after first: Int = 0) throws -> UInt64 {
        let index = sample.actions.indices.first { index in
            if index >= first, case .todos(.complete)? = sample.actions[index] { true } else { false }
        }
        return UInt64(try #require(index)) + 1
    }

    @Test func `the first record that a fault of a reducer folds differently is named, with what is known of both states`()
        async throws
    {
        let sample = try made()
        try await history(App.self, of: sample.log, "old").leaveChecks()
        for sequence in [100, 200, sample.head] { try sample.leaveSnapshot(at: sequence, in: directory.path, fingerprint: "old") }
        let same = try await history(App.self, of: sample.log, "new").rehearse()
        #expect(same.word == .fine && same.states == 3 && same.records == sample.head && same.state == nil)

        let rehearsal = try await history(Faulty.self, of: sample.log, "new").rehearse()
        let fault = try fault(in: sample)
        #expect(rehearsal.word == .impossible)
        let state = try #require(rehearsal.state)
        #expect(state.sequence == fault && state.since == fault - 1, "\(state)")
        #expect(
            state.details.contains("this version:") && state.details.contains { $0.contains("set counter") }, "\(state.details)")
        #expect(
            state.details.contains { $0.hasPrefix("after record ") && $0.contains("from the other version's state") },
            "\(state.details)")
    }

    @Test func `behind the last snapshot, records are looked at one by one`() async throws {
        let sample = try made()
        try await history(App.self, of: sample.log, "old").leaveChecks()
        let rehearsal = try await history(Faulty.self, of: sample.log, "new").rehearse()
        #expect(try rehearsal.state?.sequence == fault(in: sample))
        #expect(try await history(App.self, of: sample.log, "new").rehearse().checks == sample.head)
    }

    @Test func `without checks it is said between which records the first lies`() async throws {
        let sample = try made()
        try sample.leaveSnapshot(at: 2, in: directory.path, fingerprint: "old")
        try sample.leaveSnapshot(at: sample.head, in: directory.path, fingerprint: "old")
        let state = try #require(try await history(Faulty.self, of: sample.log, "new").rehearse().state)
        #expect(state.sequence == sample.head && state.since == 2)
        #expect(state.details.contains { $0.contains("set counter") }, "\(state.details)")
    }

    @Test func `checks go on from where they ended, across runs, restarts and an end that was cut off`() async throws {
        var sample = try made(100)
        try await history(App.self, of: sample.log, "old").leaveChecks()
        for _ in 0..<40 { try sample.dispatch([.todos(.add([Todo(title: "More")])), .counter(.increment)]) }
        let old = history(App.self, of: sample.log, "old")
        #expect(try await old.leaveChecks() == 80)
        #expect(try await old.leaveChecks() == 0)
        try sample.dispatch([.counter(.increment)])
        #expect(try await old.leaveChecks() == 1)
        #expect(try await history(App.self, of: sample.log, "new").rehearse().checks == sample.head)
        let rehearsal = try await history(Faulty.self, of: sample.log, "new").rehearse()
        #expect(try rehearsal.state?.sequence == fault(in: sample))
    }

    @Test func `checks of what was taken out since are not believed`() async throws {
        let sample = try made(60)
        try await history(App.self, of: sample.log, "old").leaveChecks()
        try sample.log.redact(5, payload: [])
        let store = SnapshotStore(directory: directory.path)
        store.removeAll(from: 5)
        #expect(store.checks?.firsts() == [])
    }

    @Test func `other commands are a risk, and the record that asked for them is named with both`() async throws {
        let log = InMemoryActionLog()
        try await Desk.open(log) { desk in
            try await desk.do(.counter(.increment))
            let asked = try await desk.do(.todos(.load))
            try await desk.bringBack()
            try await desk.do(.todos(.load))
            let rehearsal = try await history(Lazy.self, of: log, "new").rehearse()
            #expect(rehearsal.word == .risky && rehearsal.command?.sequence == asked && rehearsal.commands == 2)
            #expect(rehearsal.command?.details.first?.hasPrefix("the record asks for: todos.load") == true)
            #expect(rehearsal.command?.details.last == "this version asks for: nothing")
            #expect(try await history(App.self, of: log, "new").rehearse().word == .fine)
        }
    }

    @Test func `to take back what is not open is no risk, and what is open is one`() async throws {
        let log = InMemoryActionLog()
        try await Desk.open(log) { desk in
            try await desk.do(.counter(.increment))
            try await desk.do(.flows(.start(kind: "language")))
            #expect(try await desk.store.commands().map(\.row.call.name) == ["repositories.languages"])
            let rehearsal = try await history(Cancelling.self, of: log, "new").rehearse()
            #expect(rehearsal.word == .fine && rehearsal.commands > 1)
            // What its end leaves is none either.
            try await desk.bringBack()
            try await desk.do(.counter(.increment))
            #expect(try await history(Cancelling.self, of: log, "new").rehearse().word == .fine)
            try await desk.do(.repositories(.reload))
        }
        let open = InMemoryActionLog()
        try await Desk.open(open) { desk in
            try await desk.do(.flows(.start(kind: "language")))
            let counted = try await desk.do(.counter(.increment))
            let rehearsal = try await history(Cancelling.self, of: open, "new").rehearse()
            #expect(rehearsal.word == .risky && rehearsal.command?.sequence == counted)
        }
    }

    @Test func `a record that this version can't read is impossible, and over time it says how far it came`() async throws {
        let sample = try made(50)
        #expect(try await history(App.self, of: sample.log, "new").rehearse(until: .now - .seconds(1)).isCutShort)
        var flush = Flush(after: sample.log.head)
        flush.stage(RecordHeader(sequence: flush.sequence + 1, time: flush.time + 1)) { $0.message(60) { _ in } }
        try sample.log.append(flush)
        let rehearsal = try await history(App.self, of: sample.log, "new").rehearse()
        #expect(rehearsal.word == .impossible && rehearsal.state?.sequence == sample.head + 1)
    }
}
