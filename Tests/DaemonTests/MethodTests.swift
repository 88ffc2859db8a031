import Foundation
import TestSupport
import Testing
import TodoClient
import Varlink

/// The traces of each method: none, or something that records what was done.
///
/// A new method fails here until it is in one of the lists.
@Suite(.ownThreads) struct MethodTests {
    /// Methods that only read, each with calls that succeed.
    static let reads: [String: [Value]] = [
        "org.todod.Store.GetState": [[:]],
        "org.todod.Store.View": [["feature": "todos"]],
        "org.todod.Store.Subscribe": [["scope": "counter"]],
        "org.todod.History.Log": [[:]],
        "org.todod.History.Bookmarks": [[:]],
        "org.todod.History.Diff": [["from": ["sequence": 0], "to": ["sequence": 1]]],
        "org.todod.History.Why": [["sequence": 1]],
        "org.todod.History.Scan": [
            ["question": "first", "expression": "counter.count > 0"],
            ["question": "violations", "expression": "counter.count >= 0"],
            ["question": "values", "expression": "counter.count", "every": "day"],
            ["question": "activity", "buckets": 3],
        ],
        "org.todod.History.Blame": [["path": "counter.count"]],
        "org.todod.History.Export": [[:]],
        "org.todod.History.Invariants": [[:]],
        "org.todod.History.Steps": [[:]],
        "org.todod.History.WhatIf": [["alterations": [["skip": 1]]]],
        "org.todod.Admin.Status": [[:]],
        "org.todod.Admin.Clients": [[:]],
        "org.todod.Admin.Ping": [[:]],
        "org.todod.Admin.Metrics": [[:]],
        "org.todod.Admin.Commands": [[:]],
        "org.todod.Admin.FollowCommands": [[:]],
        "org.todod.Admin.DebugTail": [[:]],
        "org.todod.Admin.Head": [[:]],
        "org.todod.Admin.Verify": [[:]],
        "org.todod.Admin.Machines": [[:]],
    ]

    /// The trace of a method that does more.
    enum Trace: Equatable {
        /// Records of these kinds, in this order.
        case records([String])
        /// No record, but a durable row: of an open command, or in the list of redactions.
        case row
        /// A file or a directory.
        case file
        /// Nothing that outlives the daemon.
        case untilStop
    }

    /// Methods that do more, each with a call and its trace, in an order in which one daemon can execute them.
    private static let writes: [(method: String, leaves: Trace, parameters: @Sendable (Daemon, Client) throws -> Value)] = [
        ("org.todod.Admin.ChangeCommand", .row, { _, client in try Self.waiting(client, "retry") }),
        ("org.todod.Admin.Hold", .records(["hold"]), { _, _ in ["on": true] }),
        ("org.todod.Store.Dispatch", .records(["action"]), { _, _ in Client.dispatch([Actions.add("Buy the milk")]) }),
        ("org.todod.History.SetBookmark", .records(["bookmark"]), { _, _ in ["bookmark": "here"] }),
        ("org.todod.History.RemoveBookmark", .records(["bookmark"]), { _, _ in ["bookmark": "here"] }),
        (
            "org.todod.History.SetInvariant", .records(["invariant"]),
            { _, _ in ["name": "some", "expression": "counter.count >= 0"] }
        ),
        ("org.todod.History.RemoveInvariant", .records(["invariant"]), { _, _ in ["name": "some"] }),
        ("org.todod.History.Undo", .records(["action"]), { _, _ in ["steps": [3]] }),
        ("org.todod.History.Undo", .records(["action"]), { _, _ in ["redo": true] }),
        (
            "org.todod.History.ApplyWhatIf", .records(["action"]),
            { _, _ in ["alterations": [["insert": 9, "action": ["counter": ["increment": [:]]]]]] }
        ),
        ("org.todod.History.Revert", .records(["action", "action"]), { _, _ in ["to": ["sequence": 2]] }),
        // Its command waits because all are held.
        ("org.todod.Store.Open", .records(["action"]), { _, _ in ["link": "todod:/posts"] }),
        (
            "org.todod.Admin.ChangeCommand", .records(["end"]),
            { daemon, client in ["id": try Self.open(daemon, client, "posts", "fetch"), "operation": "skip"] }
        ),
        (
            "org.todod.Admin.ChangeCommand", .records(["end"]),
            { daemon, client in ["id": try Self.open(daemon, client, "repositories", "loadLanguages"), "operation": "cancel"] }
        ),
        (
            "org.todod.Admin.ChangeCommand", .records(["edit"]),
            { daemon, client in
                let id = try Self.open(daemon, client, "posts", "fetch")
                return ["id": id, "operation": "edit", "arguments": ["page": 2, "into": "append"]]
            }
        ),
        ("org.todod.Admin.Redact", .row, { _, _ in ["sequence": 3] }),
        ("org.todod.Admin.RedactTexts", .row, { _, client in try Self.holding("A passing thought", client) }),
        ("org.todod.Admin.Backup", .file, { daemon, _ in ["directory": .text(daemon.directory.path + "/copy")] }),
        ("org.todod.Admin.Debug", .untilStop, { _, _ in ["feature": "todos", "on": true] }),
        ("org.todod.History.Upload", .untilStop, { _, _ in ["text": "{}"] }),
        ("org.todod.History.Compact", .file, { _, _ in ["before": ["bookmark": "now"]] }),
        ("org.todod.Admin.Hold", .records(["release"]), { _, _ in ["on": false] }),
        ("org.todod.Admin.Lock", .records(["lock"]), { _, _ in ["on": true, "reason": "moving"] }),
        ("org.todod.Admin.Lock", .records(["unlock"]), { _, _ in ["on": false] }),
    ]

    /// This needs the history of another daemon and is tested separately.
    ///
    /// It leaves the records of that history.
    private static let takingOver = "org.todod.History.Import"

    /// This needs a fork.
    ///
    /// It leaves the records that `ForkTests` check.
    private static let merging = "org.todod.History.MergeFork"

    private static func open(_ daemon: Daemon, _ client: Client, _ feature: String, _ order: String) throws -> Value {
        let action: Value = .record([.init(feature, .record([.init(order, [:])]))])
        let sequence = try client.dispatch([action]).sequences[0]
        return ["sequence": .int(sequence), "index": 0]
    }

    private static func holding(_ text: String, _ client: Client) throws -> Value {
        let sequence = try client.dispatch([Actions.add(text)]).sequences[0]
        return ["sequences": [.int(sequence)], "text": .text(text)]
    }

    /// A command that waits between two attempts because its source does not answer.
    private static func waiting(_ client: Client, _ operation: Value) throws -> Value {
        try client.dispatch([["todos": ["load": [:]]]])
        while true {
            let command = try client.call("org.todod.Admin.Commands")["commands"]?.list?.first
            guard command?["stage"]?.text == "waiting", command?["attempts"]?.int == 2 else { continue }
            return ["id": command?["id"] ?? .null, "operation": operation]
        }
    }

    @Test func `every method is in the list of reads or of writes`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        var methods: Set<String> = []
        for interface in ["org.todod.Store", "org.todod.History", "org.todod.Admin"] {
            let text = try client.call("org.varlink.service.GetInterfaceDescription", ["interface": .text(interface)])
            let description = try InterfaceDescription(parsing: text["description"]?.text ?? "")
            methods.formUnion(description.methods.map { "\(interface).\($0.name)" })
        }
        // Methods with several operations are listed once for each.
        let known = Array(Self.reads.keys) + Set(Self.writes.map(\.method)) + [Self.takingOver, Self.merging]
        #expect(Set(known).count == known.count)
        #expect(methods.subtracting(known).isEmpty && Set(known).subtracting(methods).isEmpty)
    }

    @Test func `a method that reads leaves the log, the open commands and all other files unchanged`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        _ = try client.call("org.todod.Admin.Hold", ["on": true])
        try client.dispatch([Actions.increment, ["todos": ["load": [:]]]])
        _ = try client.call("org.todod.History.SetBookmark", ["bookmark": "here"])
        func kept() throws -> [Value] {
            let status = try client.status()
            return try client.log() + [
                client.state(), client.call("org.todod.Admin.Commands"), client.call("org.todod.History.Bookmarks"),
                status["epoch"] ?? .null, status["redactions"] ?? .null, status["base"] ?? .null,
            ]
        }
        let before = try kept()
        let calls = Self.reads.sorted { $0.key < $1.key }.flatMap { method, calls in calls.map { (method, $0) } }
        for (method, parameters) in calls {
            let reader = try daemon.connect()
            let isEndless = [
                "org.todod.Store.Subscribe", "org.todod.Admin.FollowCommands", "org.todod.Admin.DebugTail",
            ].contains(method)
            try reader.send(method, parameters, more: true)
            // No feature is debugged, so the stream has no items.
            if method != "org.todod.Admin.DebugTail" {
                var reply = try reader.receive()
                #expect(reply.error == nil, "\(method): \(reply)")
                while reply.continues, !isEndless { reply = try reader.receive() }
            }
            #expect(try kept() == before, "\(method)")
        }
    }

    @Test func `a method that does more leaves a record, a row or a file`() throws {
        let daemon = try Daemon.started(environment: ["TODOD_TODO_SOURCE": "http://127.0.0.1:1/"])
        let client = try daemon.connect()
        for (method, leaves, parameters) in Self.writes {
            let call = try parameters(daemon, client)
            let before = (last: try client.sequence(), status: try client.status(), files: try daemon.files())
            let answer = try Client.result(client.ask(method, call))
            let after = try client.sequence()
            let kinds = after > before.last ? try client.log(from: before.last + 1).compactMap { $0["kind"]?.text } : []
            switch leaves {
            case .records(let wanted):
                // A released command may end at once.
                #expect(Array(kinds.prefix(wanted.count)) == wanted, "\(method)")
            case .row:
                #expect(kinds.isEmpty, "\(method)")
                let status = try client.status()
                switch method {
                case "org.todod.Admin.Redact": #expect(status["redactions"] == 1 && before.status["redactions"] == nil)
                case "org.todod.Admin.RedactTexts": #expect(status["redactions"] == 2 && before.status["redactions"] == 1)
                default: #expect(status["outbox"]?["open"] == before.status["outbox"]?["open"] && answer["sequences"] == [])
                }
            case .file:
                #expect(kinds.isEmpty, "\(method)")
                #expect(try daemon.files().subtracting(before.files).isEmpty == false, "\(method)")
            case .untilStop:
                #expect(kinds.isEmpty, "\(method)")
                #expect(try daemon.files() == before.files, "\(method)")
            }
        }
        // Durable rows are still there after a crash.
        try daemon.crash()
        #expect(try daemon.connect().status()["redactions"] == 2)
        #expect(try daemon.connect().status()["base"] != nil)
    }

    @Test func `an import leaves the records of its file`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        try client.dispatch([Actions.increment])
        let text = try client.stream("org.todod.History.Export").compactMap { $0["text"]?.text }.joined()
        let taking = try Daemon.started(environment: Daemon.ownLog)
        let other = try taking.connect()
        let upload = try other.call("org.todod.History.Upload", ["text": .text(text)])["upload"]?.int ?? 0
        _ = try other.stream(Self.takingOver, ["upload": .int(upload)])
        #expect(try other.log() == client.log())
    }
}

extension Daemon {
    /// The archives of the log and the files beside its directory.
    fileprivate func files() throws -> Set<String> {
        let archives = try FileManager.default.contentsOfDirectory(atPath: data).filter { $0.hasSuffix(".zst") }
        return try Set(archives + FileManager.default.contentsOfDirectory(atPath: directory.path))
    }
}
