import Chronicle
import ChronicleLog
import ChronicleStore
import ChronicleTesting
import DiskLog
import FeatureApp
import FeatureCounter
import FeatureTodos
import Glibc
import TestSupport
import Testing
import TimeTravel

/// A later version of the app with a bug: completing a todo also increments the counter.
private enum Faulty: Feature {
    typealias State = App.State
    typealias Action = App.Action
    typealias Command = App.Command

    static func created(by action: Action) -> [UInt64] { App.created(by: action) }

    static func reduce(_ state: inout State, _ action: Action, _ context: Context) -> [Command] {
        let commands = App.reduce(&state, action, context)
        if case .todos(.complete) = action { state.counter.count += 1 }
        return commands
    }
}

@Suite struct VerifyTests {
    @Test func `an undamaged log has no damage, and all records, snapshots, bookmarks and keys are checked`() async throws {
        try await withTemporaryDirectory { directory in
            var sample = try SampleLog.random(
                8, records: 200, in: try LMDBActionLog.open(directory: directory, configuration: .small))
            try sample.bookmark("here", at: 9)
            try sample.bookmark("here", at: 10)
            try sample.bookmark("there", at: 0)
            try sample.leaveSnapshot(at: 50, in: directory)
            try sample.leaveSnapshot(at: 120, in: directory)
            let steps = Collected<UInt64>()
            let verification = try await sample.history(directory).verify { sequence, _ in steps.add(sequence) }
            #expect(verification.damages == [])
            #expect(verification.first == nil)
            #expect(verification.records == sample.head && verification.head == sample.head)
            #expect(verification.snapshots == 2 && verification.bookmarks == 2)
            #expect(verification.keys == Set(sample.headers.compactMap(\.key)).count)
            #expect(steps.all.last == sample.head)
        }
    }

    @Test func `wrong and truncated snapshots are reported, including wrong ones of other code`() async throws {
        try await withTemporaryDirectory { directory in
            let sample = try SampleLog.random(
                9, records: 100, in: try LMDBActionLog.open(directory: directory, configuration: .small))
            try sample.leaveSnapshot(at: 20, in: directory)
            try sample.leaveSnapshot(at: 40, in: directory, state: sample.states[30])
            try sample.leaveSnapshot(at: 60, in: directory, fingerprint: "older", state: sample.states[3])
            try sample.leaveSnapshot(at: 70, in: directory, fingerprint: "older")
            try sample.leaveSnapshot(at: 80, in: directory)
            try tear("\(directory)/travel/snapshot-00000000000000000080")
            let verification = try await sample.history(directory).verify()
            #expect(verification.damages.map(\.sequence) == [40, 60, 80])
            #expect(verification.damages.map(\.kind) == [.digest, .fold, .snapshot])
            #expect(verification.snapshots == 5)
        }
    }

    @Test func `a build with different reducers is reported at the first snapshot that differs, with a remedy`() async throws {
        try await withTemporaryDirectory { directory in
            let sample = try SampleLog.random(
                21, records: 300, in: try LMDBActionLog.open(directory: directory, configuration: .small))
            let index = sample.actions.indices.first { index in
                if case .todos(.complete)? = sample.actions[index] { true } else { false }
            }
            let fault = UInt64(try #require(index)) + 1
            let stops = [fault - 1, fault + 20, fault + 60, sample.head]
            for sequence in stops { try sample.leaveSnapshot(at: sequence, in: directory, fingerprint: "old") }
            #expect(try await sample.history(directory, fingerprint: "new").verify().damages == [])
            let faulty = History<Faulty>(
                sample.log, snapshots: SnapshotStore(directory: directory), fingerprint: "new",
                base: PastState(state: App.State()))
            let verification = try await faulty.verify()
            let first = try #require(verification.first)
            #expect(first.kind == .fold && first.sequence == fault + 20, "\(verification.damages)")
            #expect(first.what.contains("keep that build, or export the data with it before you update"))
            // The log itself is undamaged.
            #expect(verification.damages.allSatisfy { $0.kind == .fold } && verification.records == sample.head)
        }
    }

    @Test func `rows of records before a base are checked although those records are gone`() async throws {
        try await withTemporaryDirectory { directory in
            let sample = try SampleLog.random(
                12, records: 60, in: try LMDBActionLog.open(directory: directory, configuration: .small))
            let log = try #require(sample.log as? LMDBActionLog)
            let last = log.head.sequence
            let kept = CommandID(sequence: last + 1, index: 0)
            let more: [(UInt64, CommandID?)] = [
                (last + 1, nil), (last + 2, nil), (last + 3, CommandID(sequence: last + 2, index: 0)),
            ]
            for (sequence, end) in more {
                var flush = Flush(after: log.head)
                var header = RecordHeader(kind: .action, sequence: sequence, time: flush.time + 1, step: sequence)
                if let end {
                    (header.kind, header.cause, header.outcome) = (.end, end, .skipped)
                    flush.close(end)
                } else {
                    header.commands = [CommandCall(name: "todos.load")]
                    flush.add(OutboxRow(id: CommandID(sequence: sequence, index: 0), call: header.commands[0], step: sequence))
                }
                flush.stage(header) { if end == nil { App.Action.counter(.increment).encode(into: &$0) } }
                try log.append(flush)
            }
            let past = try await sample.history().state(at: .sequence(last + 2))
            try log.compact(to: past, keeping: { $0.first % 2 == 0 })
            let history = History<App>(log, snapshots: nil, fingerprint: "code", base: past)
            let clean = try await history.verify()
            #expect(clean.damages == [] && clean.keys > 3 && clean.commands == 1)
            // Another command has ended since.
            var end = Flush(after: log.head)
            var header = RecordHeader(kind: .end, sequence: last + 4, time: end.time + 1, step: last + 4)
            (header.cause, header.outcome) = (kept, .skipped)
            end.stage(header, payload: [])
            end.close(kept)
            try log.append(end)
            #expect(try await history.verify().damages == [])
            var lost = Flush(after: log.head)
            lost.add(OutboxRow(id: CommandID(sequence: last, index: 3), call: CommandCall(name: "todos.load")))
            try lost.stage(KeyRow(first: 1, last: 1, digest: 1), key: "another", of: 1000)
            try log.append(lost)
            #expect(try await history.verify().damages.map(\.kind) == [.outbox, .key])
            #expect(try log.kept()?.open.map(\.id) == [kept, CommandID(sequence: last + 2, index: 0)])
        }
    }

    @Test(arguments: [false, true]) func `a verification that a compaction overtakes throws an error and reports no damage`(
        isBegun: Bool
    )
        async throws
    {
        try await withTemporaryDirectory { directory in
            let log = try LMDBActionLog.open(directory: directory, configuration: .small)
            var sample = try SampleLog.random(15, records: 40, in: log)
            try sample.bookmark("here", at: 9)
            try sample.dispatch([.counter(.increment)])
            let history = sample.history(directory)
            let past = try await history.proven(at: .now)
            let compact: @Sendable () throws -> Void = {
                guard log.base == nil else { return }
                try log.compact(to: past, keeping: { _ in false }, replaced: { history.begin(with: past) })
            }
            if isBegun { try compact() }
            await #expect(throws: StoreError.compacted) {
                _ = try await (isBegun ? sample.history(directory) : history).verify { _, _ in
                    do { try compact() } catch { Issue.record(error) }
                }
            }
            let verification = try await history.verify()
            #expect(verification.damages == [] && verification.records == 0)
        }
    }

    @Test(.timeLimit(.minutes(15)))
    func `a verification during continuous writes ends, at the head that the log had when it began`()
        async throws
    {
        // Enough open commands that records are written while they are read.
        let log = InMemoryActionLog()
        var flush = Flush(after: log.head)
        let call = CommandCall(name: "todos.load")
        flush.stage(RecordHeader(sequence: 1, time: 1, commands: Array(repeating: call, count: 16_000))) {
            App.Action.counter(.increment).encode(into: &$0)
        }
        for index in 0..<16_000 as Range<UInt32> {
            flush.add(OutboxRow(id: CommandID(sequence: 1, index: index), call: call))
        }
        try log.append(flush)
        try await Desk.open(log) { desk in
            let begin = desk.store.present.sequence
            let verification = try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    while !Task.isCancelled { try await desk.do(.counter(.increment)) }
                }
                defer { group.cancelAll() }
                while desk.store.present.sequence < begin + 10 { await Task.yield() }
                return try await desk.history.verify()
            }
            #expect(verification.damages == [] && verification.commands == 16_000)
            #expect(verification.records == verification.head && verification.head >= begin)
        }
    }

    @Test func `a log that was opened read-only is verified up to its head at that time, even if it has grown since`()
        async throws
    {
        try await withTemporaryDirectory { directory in
            let log = try LMDBActionLog.open(directory: directory, configuration: .small)
            func command(_ sequence: UInt64, ending id: CommandID? = nil) throws {
                var flush = Flush(after: log.head)
                var header = RecordHeader(sequence: sequence, time: flush.time + 1, step: sequence)
                if let id {
                    (header.kind, header.cause, header.outcome) = (.end, id, .skipped)
                    flush.close(id)
                } else {
                    header.commands = [CommandCall(name: "todos.load")]
                    flush.add(OutboxRow(id: CommandID(sequence: sequence, index: 0), call: header.commands[0], step: sequence))
                }
                flush.stage(header) { if id == nil { App.Action.counter(.increment).encode(into: &$0) } }
                try log.append(flush)
            }
            try command(1)
            try command(2)
            let looked = try LMDBActionLog.openReadOnly(directory: directory, configuration: .small)
            try command(3)
            try command(4, ending: CommandID(sequence: 1, index: 0))
            let history = History<App>(looked, snapshots: nil, fingerprint: "code", base: PastState(state: App.State()))
            let verification = try await history.verify()
            #expect(verification.damages == [] && verification.head == 2)
        }
    }

    @Test func `a damaged record is the first bad sequence`() async throws {
        let sample = try SampleLog.random(10, records: 60)
        let log = FailingLog(sample.log)
        log.damage(31)
        let history = History(log, snapshots: nil, fingerprint: "code", base: PastState<App>(state: App.State()))
        let verification = try await history.verify()
        #expect(verification.first == Verification.Damage(.record, 31, "the payload"))
        #expect(verification.records == 30)
    }

    @Test func `a payload that can't be decoded as an action is reported as unreadable`() async throws {
        let log = InMemoryActionLog()
        var flush = Flush(after: log.head)
        flush.stage(RecordHeader(sequence: 1, time: 1, step: 1)) { Counter.Action.increment.encode(into: &$0) }
        flush.stage(RecordHeader(sequence: 2, time: 2, step: 2), payload: [0xF9, 0x07, 0])
        try log.append(flush)
        let verification = try await SampleLog(log).history().verify()
        #expect(verification.damages.count == 1)
        #expect(verification.first?.kind == .unreadable)
    }

    @Test func `key rows that do not match the records are reported`() async throws {
        let sample = try SampleLog.random(11, records: 30)
        let log = sample.log
        func stage(_ key: String, _ row: KeyRow, origin: UInt32 = 1000) throws {
            var flush = Flush(after: log.head)
            try flush.stage(row, key: key, of: origin)
            try log.append(flush)
        }
        try stage("idle", KeyRow(first: 0, last: 0, digest: 1))
        #expect(try await sample.history().verify().damages == [])
        try stage("wrong", KeyRow(first: 3, last: 3, digest: 1, time: sample.headers[2].time))
        let verification = try await sample.history().verify()
        #expect(verification.damages.map(\.kind) == [.key, .key])
        #expect(verification.damages.map(\.sequence) == [3, 0])
    }

    @Test func `a record whose key has no row is reported`() async throws {
        let log = InMemoryActionLog()
        var flush = Flush(after: log.head)
        flush.stage(RecordHeader(sequence: 1, time: 1, step: 1, key: "k")) { App.Action.counter(.increment).encode(into: &$0) }
        try log.append(flush)
        let verification = try await SampleLog(log).history().verify()
        #expect(verification.damages.map(\.kind) == [.key])
        #expect(verification.first?.what == "1 records have a key, but the rows of keys name 0 of them")
    }

    @Test func `a key row with wrong ids or a wrong time is reported`() async throws {
        for row in [
            KeyRow(first: 1, last: 1, ids: [2], digest: 1, time: 1), KeyRow(first: 1, last: 1, ids: [], digest: 1, time: 1),
            KeyRow(first: 1, last: 1, ids: [1], digest: 1, time: 2),
        ] {
            let log = InMemoryActionLog()
            var flush = Flush(after: log.head)
            flush.stage(RecordHeader(sequence: 1, time: 1, step: 1, key: "k")) {
                App.Action.todos(.add([.init(id: 1, title: "Milk", created: 1)])).encode(into: &$0)
            }
            try flush.stage(row, key: "k", of: 0)
            try log.append(flush)
            #expect(try await SampleLog(log).history().verify().damages.map(\.kind) == [.key])
        }
    }

    @Test func `an outbox that differs from the open commands of the records is reported`() async throws {
        let log = DiaryLog()
        try log.append([.init(action: .ask("milk")), .init(action: .ask("bread")), .init(action: .ask("stop"))])
        try log.append([.init(kind: .end, action: .brought("x"), cause: CommandID(sequence: 1, index: 1))])
        let whole = try await log.history.verify()
        #expect(whole.damages == [] && whole.commands == 1)

        var flush = Flush(after: log.log.head)
        flush.close(CommandID(sequence: 2, index: 1))
        flush.add(OutboxRow(id: CommandID(sequence: 1, index: 1), call: Diary.Command.fetch("milk").call))
        try log.log.append(flush)
        let damages = try await log.history.verify().damages
        #expect(damages.map(\.kind) == [.outbox, .outbox])
        #expect(damages.map(\.sequence) == [1, 2])

        var again = Flush(after: log.log.head)
        again.close(CommandID(sequence: 1, index: 1))
        again.add(OutboxRow(id: CommandID(sequence: 2, index: 1), call: Diary.Command.fetch("butter").call))
        try log.log.append(again)
        #expect(try await log.history.verify().first?.what == "the open command 1 differs from what its record requested")
    }

    @Test func `bookmark rows that differ from the records are reported`() async throws {
        var sample = try SampleLog.random(12, records: 20)
        try sample.bookmark("a", at: 3)
        var flush = Flush(after: sample.log.head)
        flush.set(BookmarkRow(name: "a", sequence: 4, record: sample.head))
        flush.set(BookmarkRow(name: "b", sequence: 4, record: sample.head))
        try sample.log.append(flush)
        let damages = try await sample.history().verify().damages
        #expect(damages.map(\.kind) == [.bookmark, .bookmark])
        #expect(damages.allSatisfy { $0.sequence == sample.head })
    }

    @Test func `a row of a removed bookmark is reported, and so is a missing row of an existing one`() async throws {
        var sample = try SampleLog.random(12, records: 20)
        try sample.bookmark("a", at: 3)
        try sample.bookmark("b", at: 4)
        try sample.withdraw("a")
        #expect(try await sample.history().verify().damages == [])
        await #expect(throws: StoreError.unknownBookmark("a")) { try await sample.history().resolve(.bookmark("a")) }
        var flush = Flush(after: sample.log.head)
        flush.set(BookmarkRow(name: "a", sequence: 3, record: 21))
        flush.removeBookmark("b")
        try sample.log.append(flush)
        #expect(try await sample.history().verify().damages.map(\.kind) == [.bookmark, .bookmark])
    }

    @Test func `damage that was found when the log was opened is reported first`() async throws {
        let sample = try SampleLog.random(13, records: 20)
        let verification = try await sample.history().verify(opened: .damaged(sequence: 21, what: "the record is missing"))
        #expect(verification.damages == [Verification.Damage(.record, 21, "the record is missing")])
    }

    @Test func `a verification of a growing log reports no damage`() async throws {
        let sample = try SampleLog.random(14, records: 300)
        let history = sample.history()
        let writer = Task {
            var sample = sample
            while !Task.isCancelled, sample.head < 2_000 {
                try sample.dispatch([.counter(.increment)], key: "live \(sample.head)")
                await Task.yield()
            }
            return sample.head
        }
        for _ in 0..<5 { #expect(try await history.verify().damages == []) }
        writer.cancel()
        #expect(try await writer.value >= 300)
    }
}
