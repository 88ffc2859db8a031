import Chronicle
import ChronicleLog
import ChronicleStore
import DiskLog
import Expressions
import FeatureApp
import FeatureCounter
import FeatureTodos
import TestSupport
import Testing
import TimeTravel

@Suite struct RedactionTests {
    private func titles(_ state: App.State) -> [String] { state.todos.items.elements.map(\.title) }

    private func redaction(of sequence: UInt64, at desk: Desk) async throws -> Redaction<App> {
        try #require(try await desk.history.redaction(of: [sequence]) { $0.redacted })
    }

    @Test func `the second of two concurrent redactions is prepared again`() async throws {
        try await Desk.open { desk in
            try await desk.do(.todos(.add([Todo(title: "First secret")])))
            try await desk.do(.todos(.add([Todo(title: "Second secret")])))
            let (first, second) = (try await redaction(of: 1, at: desk), try await redaction(of: 2, at: desk))
            try await desk.store.redact(first)
            await #expect(throws: StoreError.outdated) { try await desk.store.redact(second) }
            #expect(titles(desk.state) == ["Second secret", "⟨redacted⟩"])
            try await desk.store.redact(try await redaction(of: 2, at: desk))
            #expect(titles(desk.state) == ["⟨redacted⟩", "⟨redacted⟩"])
            #expect(try await desk.history.verify().damages.isEmpty)
        }
    }

    @Test func `several records are redacted at once, in one fold`() async throws {
        try await Desk.open { desk in
            try await desk.do(.todos(.add([Todo(title: "First secret")])))
            try await desk.do(.todos(.add([Todo(title: "Buy milk")])))
            try await desk.do(.todos(.edit(1, TodoChanges(note: "A secret note"))))
            let taken = try await desk.history.redaction(of: [3, 2, 1]) { action in
                action.redacted(.those { $0.contains("secret") })
            }
            let redaction = try #require(taken)
            #expect(redaction.actions.map(\.sequence) == [1, 3])
            try await desk.store.redact(redaction)
            #expect(titles(desk.state) == ["Buy milk", "⟨redacted⟩"])
            #expect(desk.state.todos.items.elements.map(\.note) == ["", "⟨redacted⟩"])
            #expect(titles(try await desk.history.state(at: .sequence(1)).state) == ["⟨redacted⟩"])
            #expect(try await desk.history.verify().damages.isEmpty)
            let nothing = try await desk.history.redaction(of: [1, 2, 3]) { $0.redacted(.those { $0.contains("secret") }) }
            #expect(nothing == nil)
        }
    }

    @Test func `a redaction that needs too much memory is refused, but a single record is always redacted`() async throws {
        try await Desk.open { desk in
            for number in 1...3 { try await desk.do(.todos(.add([Todo(title: "Secret number \(number)")]))) }
            let rewritten = { @Sendable (action: App.Action) in action.redacted(.those { $0.contains("Secret") }) }
            await #expect(throws: StoreError.batchTooLarge) {
                try await desk.history.texts(goneFrom: [1, 2, 3], bytesMax: 20, rewritten)
            }
            #expect(try await desk.history.texts(goneFrom: [2], bytesMax: 1, rewritten).actions.map(\.sequence) == [2])
            #expect(try await desk.history.texts(goneFrom: [1, 2, 3], rewritten).actions.count == 3)
        }
    }

    @Test func `records that were added since the preparation of a redaction are folded and checked, however many`() async throws
    {
        try await Desk.open { desk in
            try await desk.do(.todos(.add([Todo(title: "My secret")])))
            let few = try Expression("count(todos.items) <= 2", of: App.shape)
            _ = try await desk.store.setInvariant("few", few, by: 0)
            let early = try await redaction(of: 1, at: desk)
            let many = Array(repeating: App.Action.counter(.increment), count: Int(Limits.meanwhileRecordsMax))
            _ = try await desk.store.dispatch(Dispatch(many))
            try await desk.do(.todos(.add([Todo(title: "Milk")])))
            try await desk.store.redact(early)
            #expect(titles(desk.state) == ["Milk", "⟨redacted⟩"])
            #expect(desk.state.counter.count == Int64(many.count))
            await #expect(throws: StoreError.self) { try await desk.do(.todos(.add([Todo(title: "Bread")]))) }
            #expect(try await desk.history.verify().damages.isEmpty)
        }
    }

    @Test func `an undo that was prepared before a redaction does not restore the old text`() async throws {
        try await Desk.open { desk in
            try await desk.do(.todos(.add([Todo(title: "My secret")])))
            try await desk.do(.todos(.remove(1)))
            let old = try await desk.history.state(at: .sequence(1))
            #expect(titles(old.state) == ["My secret"])
            let actions = try App.compensatingActions(from: desk.state, to: old.state)
            let outdated = UndoBatch<App>(
                origin: 1000, cancelling: .askedAfter(1), redactions: desk.log.redactions.count
            ) { _, _ throws(StoreError) in [.init(undoes: nil, actions: actions)] }
            try await desk.store.redact(try await redaction(of: 1, at: desk))
            await #expect(throws: StoreError.outdated) { try await desk.store.compensate(outdated) }
            // States that were kept during the redaction are not used.
            #expect(titles(try await desk.history.state(at: .sequence(1)).state) == ["⟨redacted⟩"])
            try await desk.undo()
            #expect(titles(desk.state) == ["⟨redacted⟩"])
        }
    }

    @Test func `a snapshot that comes back after a power failure is not used`() async throws {
        try await withTemporaryDirectory { directory in
            let log = InMemoryActionLog()
            let files = SnapshotStore(directory: directory)
            var lost: [Snapshot] = []
            try await Desk.open(log) { desk in
                try await desk.do(.todos(.add([Todo(title: "My secret")])))
                try await desk.do(.todos(.complete(1)))
                for sequence in [1, 2] as [UInt64] {
                    let state = try await desk.history.state(at: .sequence(sequence)).state
                    lost.append(
                        Snapshot(
                            sequence: sequence, checksum: try #require(try log.checksum(of: sequence)), epoch: log.head.epoch,
                            time: 1, fingerprint: "one", state: state.canonicalBytes))
                }
                try await desk.store.redact(try await redaction(of: 1, at: desk))
            }
            for snapshot in lost {
                try files.write(snapshot)
                try files.history.write(snapshot, budgetBytes: .max)
            }
            let recovered = try RecoveryResult<App>(from: log, snapshots: files, fingerprint: "one", initial: App.State())
            #expect(titles(recovered.present.state) == ["⟨redacted⟩"] && recovered.snapshot == SnapshotFact())
            let history = History(log, snapshots: files, fingerprint: "one", base: PastState<App>(state: App.State()))
            #expect(titles(try await history.state(at: .sequence(2)).state) == ["⟨redacted⟩"])
            #expect(try await history.verify().damages.isEmpty)
            try await history.fillGaps()
            #expect(files.history.sequences().isEmpty)
        }
    }

    @Test(arguments: [1, 12, .max], 0..<20 as Range<UInt64>)
    func `the records that contain any of several texts are found, however many passes it takes`(bytesMax: Int, seed: UInt64)
        async throws
    {
        let sample = try SampleLog.random(seed, records: 60)
        var dice = SeededGenerator(~seed)
        let words = ["milk", "READ", "call a", "Été", "à la mer", "home", "shop", "zzzz", "rea", ""]
        let texts = (0..<Int.random(in: 0...5, using: &dice)).map { _ in words.randomElement(using: &dice) ?? "" }
        let searches = texts.filter { $0.utf8.count >= HistoryLimits.soughtBytesMin }.map { SubstringSearch($0) }
        let expected = (1...sample.head).filter { sequence in
            let payload = sample.actions[Int(sequence) - 1]?.canonicalBytes ?? []
            return searches.contains { $0.matches(payload.span.bytes) }
        }
        #expect(try await sample.history().records(holding: texts, bytesMax: bytesMax) == expected, "\(texts)")
    }

    @Test func `if very many records contain a text, the first ones are returned`() async throws {
        var sample = SampleLog()
        try sample.dispatch([.todos(.add([Todo(title: "Bread")])), .todos(.add([Todo(title: "Milk")]))])
        for number in 0..<HistoryLimits.answersMax {
            try sample.dispatch([.todos(.edit(1, TodoChanges(note: "Oats \(number)")))])
        }
        let found = try await sample.history().records(holding: ["Oats", "milk"], bytesMax: 4)
        #expect(found == Array(2...UInt64(HistoryLimits.answersMax) + 1))
        // Known records do not count towards the limit.
        let besides = try await sample.history().records(holding: ["Oats", "milk"], besides: Set(found), bytesMax: 4)
        #expect(besides == [UInt64(HistoryLimits.answersMax) + 2])
    }
}
