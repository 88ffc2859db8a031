import Foundation
import Synchronization
import TestSupport
import Testing
import TodoClient
import Varlink

@Suite(.ownThreads) struct SubscriptionTests {
    @Test func `subscribers that start in a storm get every record once and in order, then live ones`()
        throws
    {
        let daemon = try Daemon.started()
        let total = Int64(Sanitizer.share(of: 12_000))
        let path = daemon.socket
        let storm = Background { try Storm.dispatch(Int(total), over: Client(path, seconds: 60)) }
        let subscribers = try onThreads(24) { index in
            try (0..<3).map { _ in
                try Self.records(from: 1, through: total + 1, over: Client(path, seconds: 60), isPatient: index % 6 == 0)
            }
        }
        _ = subscribers
        try storm.value()
        try daemon.connect().dispatch([Actions.increment])
    }

    /// Reads records.
    ///
    /// A patient subscriber reads to the last one, and the others leave during the storm.
    private static func records(from first: Int64, through last: Int64, over client: Client, isPatient: Bool) throws -> Int64 {
        let enough = isPatient ? last - 1 : min(last - 1, 400)
        try client.send(
            "org.todod.Store.Subscribe", ["kind": "records", "from": ["sequence": .int(first)]], more: true)
        var next = first
        while next <= enough {
            let item = try Client.result(client.receive())
            for record in item["records"]?.list ?? [] {
                guard record["sequence"]?.int == next else {
                    throw Unexpected("record \(next) is expected, not \(record)")
                }
                next += 1
            }
            guard item["skipped"]?.int == 0 else { throw Unexpected("skipped \(item)") }
        }
        return next - 1
    }

    @Test func `a reader of records is live once it has caught up`() throws {
        let daemon = try Daemon.started()
        let writer = try daemon.connect()
        for number in 1...600 { try writer.dispatch([Actions.text("\(number)")]) }
        let reader = try daemon.connect()
        try reader.send("org.todod.Store.Subscribe", ["kind": "records", "from": ["sequence": 1]], more: true)
        var seen: [Int64] = []
        func read(through last: Int64) throws {
            while (seen.last ?? 0) < last {
                let reply = try reader.receive()
                #expect(reply.continues)
                seen += try (Client.result(reply)["records"]?.list ?? []).compactMap { $0["sequence"]?.int }
            }
        }
        try read(through: 600)
        for _ in 0..<20 {
            let sequence = try #require(try writer.dispatch([Actions.increment]).sequences.last)
            try read(through: sequence)
        }
        #expect(seen == Array(1...620))
    }

    @Test
    func `a subscriber of the state sees the state once, then changes, and folding them gives the state`() throws {
        let daemon = try Daemon.started()
        let writer = try daemon.connect()
        try writer.dispatch([Actions.add("Buy the milk", "Take my dog", "Rent a car")])
        let reader = try daemon.connect()
        try reader.send("org.todod.Store.Subscribe", ["scope": "todos.items"], more: true)
        // First everything but lists, then their elements.
        let first = try Client.result(reader.receive())
        #expect(first["state"]?.titles == [] && first["complete"] == false)
        let second = try Client.result(reader.receive())
        #expect(second["state"]?.titles == ["Buy the milk", "Take my dog", "Rent a car"])
        #expect(second["complete"] == true && second["sequence"] == 1)

        // The counter is outside of the scope, and setting a text to its current value changes nothing.
        try writer.dispatch([Actions.increment])
        try writer.dispatch([Actions.edit(2, title: "Take my dog")])
        let sequence = try #require(try writer.dispatch([Actions.edit(2, title: "Walk my dog")]).sequences.last)
        let item = try Client.result(reader.receive())
        #expect(item["sequence"]?.int == sequence)
        #expect(item["state"] == nil)
        let changes = item["changes"]?.list ?? []
        #expect(changes.count == 1)
        #expect(changes.first?["kind"] == "replace")
        #expect(changes.first?["path"] == "todos.items")
        #expect(changes.first?["id"] == 2)
        #expect(changes.first?["new"]?["title"] == "Walk my dog")

        try writer.dispatch([Actions.remove(1)])
        let removal = try Client.result(reader.receive())["changes"]?.list ?? []
        #expect(removal.map { $0["kind"] } == ["remove"])
        #expect(removal.first?["id"] == 1)
        try writer.dispatch([Actions.move(3, to: 0)])
        let move = try Client.result(reader.receive())["changes"]?.list ?? []
        #expect(move.allSatisfy { $0["kind"] == "move" } && !move.isEmpty)
    }

    @Test
    func `a subscriber that never reads costs a bounded buffer, does not slow others, and is closed after a timeout`() throws {
        let daemon = try Daemon.started(environment: ["TODOD_STALLED_READER_SECONDS": "2"])
        let writer = try daemon.connect()
        let text = String(repeating: "All that is to be done. ", count: 160)
        func burst(_ count: Int) throws -> Duration {
            try ContinuousClock().measure { try Storm.dispatch(count, over: writer, text: text) }
        }
        _ = try burst(1_000)
        let idle = try daemon.anonymousKiB()
        var (without, with): ([Duration], [Duration]) = ([], [])
        for _ in 0..<3 { without.append(try burst(1_000)) }
        let stalled = try (0..<4).map { index in
            let client = try daemon.connect()
            let from: Value = index % 2 == 0 ? ["kind": "records", "from": ["sequence": 1]] : [:]
            try client.send("org.todod.Store.Subscribe", from, more: true)
            return client
        }
        for _ in 0..<3 { with.append(try burst(1_000)) }
        // 7,000 records of 4 KB are 28 MB. Four buffers of 1 MiB and one read of each subscriber are far less.
        let growth = try daemon.anonymousKiB() - idle
        // A sanitizer keeps freed memory for a while to detect its use.
        if !Sanitizer.isOn { #expect(growth < 20_000, "\(growth) KiB") }
        #expect((with.min() ?? .zero) < (without.max() ?? .zero) * 4, "without: \(without), with: \(with)")
        for client in stalled { #expect(try client.isHungUp(seconds: 30)) }
        #expect(try writer.sequence() == 7_000)
        while try writer.status()["subscribers"] != 0 { sched_yield() }
    }

    @Test func `slow and late subscribers get the latest text, and every record is counted`() throws {
        let daemon = try Daemon.started(environment: ["TODOD_OUTBOUND_BYTES_MAX": "65536"])
        let writer = try daemon.connect()
        let path = daemon.socket
        let late = try (0..<20).map { _ in try TextFollower(path) }
        let live = (0..<4).map { _ in
            Background {
                let follower = try TextFollower(path)
                try follower.follow(through: 400)
                return follower.text
            }
        }
        try Storm.dispatch(400, over: writer, text: String(repeating: "All that is to be done. ", count: 160))
        let text = try writer.state("todos.draft")["todos"]?["draft"]?.text
        for follower in late {
            try follower.follow(through: 400)
            #expect(follower.text == text)
        }
        for reader in live { #expect(try reader.value() == text) }
        // The late subscribers get new changes like the others.
        try writer.dispatch([Actions.text("one more")])
        for follower in late {
            try follower.follow(through: 401)
            #expect(follower.text == "one more")
        }
    }

    @Test func `with a hundred thousand todos a change sends bytes for the change, not for the list`()
        throws
    {
        let directory = TemporaryDirectory()
        let items = (1...100_000).map { #"{"id":\#($0),"title":"Todo number \#($0)","created":\#($0)}"# }
        let state = try directory.write(#"{"todos":{"items":[\#(items.joined(separator: ","))]}}"#, to: "state.json")
        let daemon = try Daemon.started(flags: ["--ephemeral", "--state", state])
        let reader = try daemon.connect(seconds: 120)
        try reader.send("org.todod.Store.Subscribe", ["scope": "todos.items"], more: true)
        var (count, isComplete) = (0, false)
        while !isComplete {
            let page = try Client.result(reader.receive())
            count += page["state"]?.todos.count ?? 0
            #expect((page["state"]?.todos.count ?? 0) <= 256)
            isComplete = page["complete"]?.bool ?? true
        }
        #expect(count == 100_000)
        let before = reader.bytesReceived
        #expect(before > 3_000_000)
        let writer = try daemon.connect()
        try writer.dispatch([Actions.edit(50_000, title: "Changed")])
        let edited = try Client.result(reader.receive())
        #expect(edited["changes"]?.list?.first?["new"]?["title"] == "Changed")
        try writer.dispatch([Actions.add("New")])
        _ = try reader.receive()
        try writer.dispatch([Actions.move(99_999, to: 10)])
        _ = try reader.receive()
        #expect(reader.bytesReceived - before < 6_000, "\(reader.bytesReceived - before) bytes")
    }

    @Test func `a submitted text is one item of two records for subscribers`() throws {
        let daemon = try Daemon.started()
        let (writer, reader) = (try daemon.connect(), try daemon.connect())
        try writer.dispatch([Actions.text("Buy the milk")])
        try reader.send("org.todod.Store.Subscribe", ["scope": "todos"], more: true)
        while try Client.result(reader.receive())["complete"]?.bool == false {}
        let added = try writer.dispatch([["todos": ["submit": [:]]]])
        let item = try Client.result(reader.receive())
        #expect(added.sequences == [2, 3] && item["sequence"] == 3 && item["records"]?.list?.count == 2)
        let kinds = (item["changes"]?.list ?? []).compactMap { $0["kind"]?.text }
        #expect(kinds.count { $0 == "insert" } == 1 && kinds.count { $0 == "set" } == kinds.count - 1, "\(kinds)")
        try writer.dispatch([Actions.remove(1)])
        #expect(try Client.result(reader.receive())["sequence"] == 4)
    }

    @Test func `the descriptors of disconnected subscribers are closed`() throws {
        // Connections to members of a cluster would be opened and closed concurrently.
        let daemon = try Daemon.started(environment: Daemon.ownLog)
        let admin = try daemon.connect()
        func descriptors() throws -> Int {
            try FileManager.default.contentsOfDirectory(atPath: "/proc/\(daemon.pid)/fd").count
        }
        _ = try admin.status()
        let before = try descriptors()
        do {
            let subscribers = try (0..<100).map { _ in
                let client = try daemon.connect()
                try client.send("org.todod.Store.Subscribe", more: true)
                while try Client.result(client.receive())["complete"]?.bool == false {}
                return client
            }
            #expect(try admin.status()["subscribers"] == 100)
            _ = subscribers
        }
        while try admin.status()["subscribers"] != 0 || admin.status()["clients"] != 1 { sched_yield() }
        #expect(try descriptors() <= before + 1)
    }

    @Test func `a read with a minimum sequence waits for it, and is refused if it does not arrive`() throws {
        let daemon = try Daemon.started()
        let (writer, reader) = (try daemon.connect(), try daemon.connect())
        try reader.send("org.todod.Store.GetState", ["scope": "counter", "minimumSequence": 1])
        try writer.dispatch([Actions.increment])
        let state = try Client.result(reader.receive())
        #expect(state["state"]?["counter"]?["count"] == 1)
        #expect(state["sequence"] == 1)
        let refused = try reader.ask("org.todod.Store.GetState", ["minimumSequence": 9])
        #expect(refused.error == "org.todod.Store.FutureSequence")
        #expect(refused.parameters["last"] == 1)
    }
}

/// Follows the draft and counts the reported records.
private final class TextFollower {
    private let client: Client
    private var sequence: Int64
    private(set) var text: String?

    init(_ path: String) throws {
        client = try Client(path, seconds: 60)
        try client.send("org.todod.Store.Subscribe", ["scope": "todos.draft"], more: true)
        let item = try Client.result(client.receive())
        sequence = item["sequence"]?.int ?? -1
        text = item["state"]?["todos"]?["draft"]?.text
    }

    func follow(through last: Int64) throws {
        while sequence < last {
            let item = try Client.result(client.receive())
            sequence += Int64(item["records"]?.list?.count ?? 0) + (item["skipped"]?.int ?? 0)
            guard item["sequence"]?.int == sequence else { throw Unexpected("\(item) is not of \(sequence)") }
            text = item["changes"]?.list?.last?["new"]?["draft"]?.text ?? text
        }
    }
}
