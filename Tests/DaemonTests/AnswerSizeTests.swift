import TestSupport
import Testing
import Varlink

/// That no answer of a reading method grows with the state or the log: it comes in pieces, is cut, or is `AnswerTooLarge`.
///
/// A method that only reads and stands in neither list fails here until it does.
@Suite(.ownThreads) struct AnswerSizeTests {
    /// Bytes of a reply, as the interfaces promise, and of what stands around it or ends it.
    private static let bytesMax = (1 << 20) + (256 << 10)

    /// Those whose answers grow, each with a call about everything.
    private static let growing: [String: [JSON]] = [
        "org.todod.Store.GetState": [[:], ["at": ["back": 1]]],
        "org.todod.Store.View": [["feature": "todos"]],
        "org.todod.Store.Subscribe": [["scope": "todos"], ["kind": "records", "from": ["sequence": 1]]],
        "org.todod.History.Log": [[:], ["changes": true]],
        "org.todod.History.Diff": [
            ["from": ["sequence": 0], "to": ["back": 0]], ["from": ["sequence": 0], "to": ["back": 0], "patch": true],
            ["from": ["sequence": 0], "to": ["back": 0], "path": "todos.items"],
        ],
        "org.todod.History.Why": [["sequence": 1], ["sequence": 100]],
        "org.todod.History.Bisect": [["expression": "count(todos.items) > 0"], ["expression": "count(todos.items) > 500"]],
        "org.todod.History.Blame": [["path": "todos.items", "all": true], ["path": "todos.items", "history": true]],
        "org.todod.History.Export": [[:]],
        "org.todod.History.WhatIf": [["alterations": [["skip": 1, "through": 100]]]],
    ]

    /// Those whose answers hold a fixed number of short values, or short rows of which there is a named maximum.
    private static let small: Set<String> = [
        "org.todod.History.Bookmarks", "org.todod.History.Check", "org.todod.Admin.Status", "org.todod.Admin.Ping",
        "org.todod.Admin.Metrics", "org.todod.Admin.Clients", "org.todod.Admin.Commands", "org.todod.Admin.Verify",
        // What one record changed.
        "org.todod.Admin.DebugTail",
    ]

    @Test func `every reading method says how large its answers get`() {
        #expect(Set(Self.growing.keys).union(Self.small) == Set(MethodTests.reads.keys))
    }

    @Test func `no answer is larger than its bound, in one reply or in many`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        // 100 records of 20 KB; together they are twice what an answer may hold.
        for _ in 0..<100 { try client.dispatch([Self.add(5)]) }
        for (method, calls) in Self.growing {
            for parameters in calls {
                for more in [false, true] {
                    let (largest, error) = try frames(of: daemon, method, parameters, more: more)
                    #expect(largest <= Self.bytesMax, "\(method) \(parameters) \(more): \(largest)")
                    let expected = more ? [nil] : [nil, "AnswerTooLarge", "ExpectedMore"]
                    #expect(expected.contains(error), "\(method) \(parameters): \(error ?? "")")
                }
            }
        }
        let removals = (1...300).map { Actions.remove($0) }
        let trial: JSON = ["actions": .array(removals), "dryRun": true]
        #expect(Client.short(try client.ask("org.todod.Store.Dispatch", trial)) == "AnswerTooLarge")
        // What is done is done, whatever its answer can hold.
        try client.dispatch(removals)
        let undone = try client.call("org.todod.History.Undo")
        #expect(undone["first"] != nil && undone["changes"] == nil)
    }

    private static func add(_ count: Int) -> JSON {
        let todo: JSON = ["title": "Buy the milk", "note": .string(String(repeating: "n", count: 4_000))]
        return ["todos": ["add": ["items": .array(Array(repeating: todo, count: count))]]]
    }

    /// The largest frame of a call's answer, and the error it ends with.
    private func frames(of daemon: Daemon, _ method: String, _ parameters: JSON, more: Bool) throws -> (Int, String?) {
        let client = try daemon.connect()
        try client.send(method, parameters, more: more)
        var largest = 0
        while true {
            let frame = try client.receiveFrame()
            largest = max(largest, frame.count)
            let reply = try Reply(parsing: frame.span)
            if reply.error != nil { return (largest, Client.short(reply)) }
            let isWhole = reply.parameters["complete"]?.bool == true || reply.parameters["sequence"]?.int == 100
            if !reply.continues || method.hasSuffix("Subscribe") && isWhole { return (largest, nil) }
        }
    }
}
