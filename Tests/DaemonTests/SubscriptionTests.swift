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

    /// Reads records; a patient one goes on to the last, the others leave in the middle of the storm.
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

        // The counter is outside of the scope; setting a text to what it is changes nothing.
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
    func `a subscriber that never reads costs a bounded buffer, slows nobody, and is closed after a while`() throws {
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
        // 7,000 records of 4 KB are 28 MB; four buffers of 1 MiB, and what a reader reads at once, are far less.
        let growth = try daemon.anonymousKiB() - idle
        // A sanitizer keeps for a while what was freed, to know it again.
        if !Sanitizer.isOn { #expect(growth < 20_000, "\(growth) KiB") }
        #expect((with.min() ?? .zero) < (without.max() ?? .zero) * 4, "without: \(without), with: \(with)")
        for client in stalled { #expect(try client.isHungUp(seconds: 30)) }
        #expect(try writer.sequence() == 7_000)
        while try writer.status()["subscribers"] != 0 { sched_yield() }
    }

    @Test func `subscribers who read slowly or late miss nothing, and are told of every record`() throws {
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
        // Whoever was late is told with the others again.
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

    @Test func `text that is submitted is one change for whoever watches, of two records`() throws {
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

    @Test func `subscribers that leave leave nothing behind`() throws {
        // Connections to members of a cluster would come and go meanwhile.
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

    @Test func `a read that names a sequence waits for it, and says when it does not come`() throws {
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

/// Follows the text that is being written, and counts the records of which it is told.
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
