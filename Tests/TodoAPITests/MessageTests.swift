import Chronicle
import Testing
import TodoAPI
import Varlink

@Suite struct MessageTests {
    static let command = CommandMessage(
        id: CommandID(sequence: 3, index: 0), name: "todos.load", version: 2, presentational: true, arguments: ["url": "x"])
    static let record = RecordMessage(
        sequence: 7, time: 1_700_000_000_000_000, rawTime: 5, kind: "action", origin: 1000, step: 6,
        cause: CommandID(sequence: 3, index: 1), outcome: "failed", reason: "no answer", due: 4, undoes: 2, key: "k", build: 9,
        action: ["counter": ["increment": [:]]], bookmark: "here", at: 3,
        commands: [command])
    static let change = Change(
        path: "todos.items", kind: .move, id: 4, at: 0, from: 2, old: ["id": 4, "title": "a"], new: ["id": 4, "title": "b\n\"é🥛"])

    /// Encodes a message, validates it against the interface and decodes it.
    func roundTrip<M: Message>(
        _ message: M, as fields: [InterfaceDescription.Field]? = nil, in interface: String = "org.todod.Store"
    ) throws {
        var bytes: [UInt8] = Array("before".utf8)
        message.write(into: &bytes)
        #expect(bytes.starts(with: "before".utf8))
        let json = try Value(parsing: Array(bytes.dropFirst(6)))
        let members = try #require(json.record)
        #expect(try M(input: members) == message)
        #expect(try M(output: members + [.init("ofANewerDaemon", 1)]) == message)
        #expect(throws: APIError.invalidParameter("ofAStranger")) {
            try M(input: members + [.init("ofAStranger", 1)])
        }
        if let fields {
            let description = try #require(InterfaceTests.descriptions.first { $0.name == interface })
            #expect(description.mismatch(of: members, with: fields) == nil)
        }
    }

    func roundTrip<M: TodoAPI.Method>(_ method: M.Type, _ input: M.Input, _ output: M.Output) throws {
        let parts = M.name.split(separator: ".")
        let interface = parts.dropLast().joined(separator: ".")
        let methods = InterfaceTests.descriptions.first { $0.name == interface }?.methods
        let description = try #require(methods?.first { $0.name == parts[3] })
        try roundTrip(input, as: description.input, in: interface)
        try roundTrip(output, as: description.output, in: interface)
    }

    @Test func `messages about commands round-trip`() throws {
        let id = CommandID(sequence: 3, index: 1)
        try roundTrip(
            CommandsMethod.self, NoFields(),
            .init(commands: [
                OpenCommandMessage(
                    id: id, name: "posts.fetch", version: 2, arguments: ["page": 2], stage: "parked", attempts: 3, due: 9,
                    reason: "no answer", held: true, depth: 1, step: 3, origin: 1000),
                OpenCommandMessage(
                    id: id, name: "x", version: 1, stage: "waiting", attempts: 0, held: false, depth: 0, step: 3, origin: 0),
            ]))
        try roundTrip(FollowCommandsMethod.self, NoFields(), .init(commands: [], complete: true))
        for operation in ChangeCommandMethod.Input.Operation.allCases {
            try roundTrip(
                ChangeCommandMethod.self, .init(id: id, operation: operation, arguments: ["page": 2]),
                .init(epoch: 1, sequences: [7, 8]))
        }
        try roundTrip(ChangeCommandMethod.self, .init(id: id, operation: .skip), .init(epoch: 1, sequences: []))
        try roundTrip(HoldMethod.self, .init(on: true), .init(epoch: 1, sequences: [7]))
        try roundTrip(LockMethod.self, .init(on: true, reason: "moving"), .init(epoch: 2, sequences: [8]))
        try roundTrip(
            OpenMethod.self, .init(link: "todod:/repos", key: "k"),
            .init(epoch: 1, sequences: [1], ids: [], duplicate: false, presentations: []))
        try roundTrip(DebugMethod.self, .init(feature: "stars", on: true), .init(features: ["counter", "stars"]))
        try roundTrip(
            DebugTailMethod.self, NoFields(),
            .init(
                sequence: 4, time: 5, feature: "counter", action: ["counter": ["increment": [:]]],
                lines: ["- counter.count: 0", "+ counter.count: 1"], linesLeftOut: 3, cut: true, origin: 1_000))
    }

    @Test func `messages about the past round-trip`() throws {
        let point = Point(bookmark: "release")
        try roundTrip(
            GetStateMethod.self, .init(scope: "todos", at: Point(back: 3)),
            .init(epoch: 1, sequence: 4, state: ["a": []], time: 5, folded: 6))
        try roundTrip(
            ViewMethod.self, .init(feature: "todos", at: point),
            .init(epoch: 1, sequence: 0, view: ["title": "TODO - (0)"], time: 0, folded: 0))
        try roundTrip(RemoveBookmarkMethod.self, .init(bookmark: "x"), .init(epoch: 1, sequences: [7]))
        try roundTrip(
            SetBookmarkMethod.self, .init(bookmark: "x", at: Point(bookmark: "y", before: 3)),
            .init(epoch: 1, sequence: 0, sequences: [7]))
        try roundTrip(SetBookmarkMethod.self, .init(bookmark: "x", at: .start), .init(epoch: 1, sequence: 0, sequences: [7]))
        try roundTrip(
            BookmarksMethod.self, NoFields(), .init(bookmarks: [BookmarkMessage(name: "x", sequence: 0, record: 7)]))
        try roundTrip(
            LogMethod.self,
            .init(
                from: point, to: .now, limit: 5, feature: "todos", action: "add", origin: 1000, search: "milk", reverse: true,
                changes: true, runs: true),
            .init(records: [Self.record], details: [LogDetailMessage(first: 4, changes: [Self.change])]))
        try roundTrip(
            DiffMethod.self, .init(from: point, to: .now, path: "todos", patch: true),
            .init(from: 1, to: 2, changes: [Self.change], patch: [["op": "remove", "path": "/a"]]))
        try roundTrip(
            WhyMethod.self, .init(sequence: 7),
            .init(
                sequence: 7, roots: [3], records: [Self.record],
                fates: [
                    CommandFateMessage(
                        id: CommandID(sequence: 3, index: 1), fate: "open", stage: "parked", attempts: 3, reason: "no",
                        held: false),
                    CommandFateMessage(id: CommandID(sequence: 3, index: 0), fate: "ended"),
                ], cut: true, archive: "archive-1-2.jsonl.zst"))
        try roundTrip(
            ScanMethod.self,
            .init(
                question: .first, expression: "counter.count > 1", from: .start, to: .now, method: .linear, all: true,
                every: .day, count: 3,
                offsets: [ClockOffsetMessage(from: -5, seconds: -3_600), ClockOffsetMessage(from: 7, seconds: 45_900)],
                buckets: 2),
            .init(
                reached: 9, outcome: "found", from: 0, to: 9, sequence: 4, flips: 3,
                points: [ScanPointMessage(sequence: 4, holds: true), ScanPointMessage(sequence: 3, time: 4, value: -5)],
                changes: [Self.change], method: .halving, violations: [SpanMessage(from: 3, to: 4)], cut: false, epoch: 1,
                begin: -9, end: -7, sequences: [3, 3, 9]))
        try roundTrip(
            BlameMethod.self, .init(path: "counter.count", at: point, history: true, all: true),
            .init(
                reached: 4,
                origins: [
                    OriginMessage(sequence: 7, path: "counter.count", old: ["value": 1], new: ["value": "2"]),
                    OriginMessage(sequence: 7, path: "todos"),
                ], records: [Self.record]))
        try roundTrip(
            VerifyMethod.self, .init(head: "5-1-2"),
            .init(
                reached: 9, last: 9, snapshots: 1, keys: 2, commands: 3, bookmarks: 4,
                damages: [DamageMessage(kind: "record", sequence: 4, what: "no")]))
        try roundTrip(VerifyMethod.self, .init(), .init(reached: 3, last: 9))
        for question in ScanMethod.Input.Question.allCases {
            try roundTrip(ScanMethod.self, .init(question: question), .init(reached: 3))
        }
        try roundTrip(DiffMethod.self, .init(from: .start, to: .now), .init(from: 1, to: 2))
    }

    @Test(arguments: ["12.0", "1.4294967295"]) func `a command ID round-trips`(text: String) {
        #expect(CommandID(text: text)?.text == text)
    }

    @Test(arguments: ["", ".", "1.", ".1", "-1.0", "1.-1", "1.0.0", "9007199254740992.0", "1.4294967296", "x"])
    func `an invalid command ID is refused`(text: String) { #expect(CommandID(text: text) == nil) }

    @Test func `messages with all fields round-trip`() throws {
        try roundTrip(
            DispatchMethod.self,
            .init(
                actions: [["todos": ["complete": ["id": 1]]], ["counter": ["increment": [:]]]], key: "0123", step: 4,
                expectedSequence: 5, scope: "todos.items", epoch: 1, dryRun: true),
            .init(
                epoch: 1, sequences: [8, 9], ids: [3], duplicate: true, presentations: [["open": "x"]], changes: [Self.change],
                commands: [Self.command]))
        try roundTrip(
            GetStateMethod.self, .init(scope: "todos", minimumSequence: 4, epoch: 1),
            .init(epoch: 1, sequence: 4, state: ["a": []]))
        try roundTrip(
            GetStateMethod.self, .init(scope: "todos.items", id: 3, where: "not completed", limit: 5),
            .init(epoch: 1, sequence: 4, state: ["a": []], count: 6))
        try roundTrip(ViewMethod.self, .init(feature: "todos"), .init(epoch: 1, sequence: 0, view: ["title": "TODO - (0)"]))
        try roundTrip(
            SubscribeMethod.self, .init(scope: "counter", from: Point(sequence: 1), kind: "records", epoch: 2),
            .init(
                epoch: 1, sequence: 7, time: 9, complete: false, state: ["counter": ["count": -1]], changes: [Self.change],
                records: [Self.record], commands: [Self.command], skipped: 12))
        try roundTrip(
            SubscribeMethod.self, .init(kind: "view", feature: "counter"),
            .init(
                epoch: 1, sequence: 7, time: 9, complete: true, records: [], commands: [], skipped: 0,
                view: ["count": -1, "sign": "negative"]))
        try roundTrip(
            LogMethod.self, .init(from: Point(time: 3), to: Point(sequence: 8), limit: 5), .init(records: [Self.record]))
        try roundTrip(
            StatusMethod.self, NoFields(),
            .init(
                version: "1", mode: "normal", epoch: 1, sequence: 2, started: 3, clients: 4, subscribers: 5, logBytes: 6,
                logGrowthBytes: 7,
                mapBytes: 8, freeBytes: 9, storageFull: true, snapshot: SnapshotMessage(sequence: 1, time: 2, bytes: 3),
                outbox: OutboxMessage(open: 1, started: 0, parked: 0, held: 0), base: 1, archive: "archive-1-1.jsonl.zst"))
        try roundTrip(PingMethod.self, NoFields(), .init(version: "1", epoch: 1, sequence: 2))
        try roundTrip(MetricsMethod.self, NoFields(), .init(text: "a 1\n"))
    }

    @Test func `messages with only required fields round-trip`() throws {
        try roundTrip(
            DispatchMethod.self, .init(actions: []), .init(epoch: 1, sequences: [], ids: [], duplicate: false, presentations: []))
        try roundTrip(GetStateMethod.self, .init(), .init(epoch: 1, sequence: 0, state: [:]))
        try roundTrip(
            SubscribeMethod.self, .init(),
            .init(epoch: 1, sequence: 0, time: 0, complete: true, records: [], commands: [], skipped: 0))
        try roundTrip(LogMethod.self, .init(), .init(records: []))
        try roundTrip(
            RecordMessage(sequence: 1, time: 1, kind: "action", origin: 0, step: 1, build: 0, commands: []))
        try roundTrip(CommandMessage(name: "x", version: 1, presentational: false, arguments: [:]))
    }

    @Test func `a field without a value is omitted instead of null`() {
        var bytes: [UInt8] = []
        DispatchMethod.Output(epoch: 1, sequences: [1, 2], ids: [], duplicate: false, presentations: []).write(into: &bytes)
        #expect(
            String(decoding: bytes, as: UTF8.self)
                == #"{"epoch":1,"sequences":[1,2],"ids":[],"duplicate":false,"presentations":[]}"#)
    }

    @Test func `null and an absent field are equivalent`() throws {
        let members = try #require(try Value(parsing: #"{"actions":[],"key":null,"dryRun":null}"#).record)
        #expect(try DispatchMethod.Input(input: members) == DispatchMethod.Input(actions: []))
    }

    @Test(arguments: [
        (#"{}"#, "actions"), (#"{"actions":{}}"#, "actions"), (#"{"actions":[1]}"#, "actions[0]"),
        (#"{"actions":[],"key":1}"#, "key"), (#"{"actions":[],"step":-1}"#, "step"), (#"{"actions":[],"step":1.5}"#, "step"),
        (#"{"actions":[],"step":9007199254740992}"#, "step"), (#"{"actions":[],"dryRun":1}"#, "dryRun"),
        (#"{"actions":[],"colour":1}"#, "colour"),
    ])
    func `an invalid parameter is refused by name`(text: String, parameter: String) throws {
        let members = try #require(try Value(parsing: text).record)
        #expect(throws: APIError.invalidParameter(parameter)) { try DispatchMethod.Input(input: members) }
    }

    @Test func `an unknown nested field is refused by path`() throws {
        let members = try #require(try Value(parsing: #"{"from":{"sequence":1,"day":2}}"#).record)
        #expect(throws: APIError.invalidParameter("from.day")) { try SubscribeMethod.Input(input: members) }
    }
}
