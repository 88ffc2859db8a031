import EtcdTesting
import Foundation
import ProcessTesting
import TestSupport
import Testing
import TodoClient
import Varlink

/// Tests of daemons that share a log, through their clients.
@Suite(.ownThreads, .serialized, .enabled(if: EtcdCluster.isInstalled, "\(EtcdCluster.missing)"))
struct ClusterTests {
    @Test func `a dispatch to one daemon reaches the others, with the machine of its origin`() throws {
        let team = try Team(members: 1, daemons: 3)
        let clients = try team.daemons.map { try $0.connect() }
        for (index, client) in clients.enumerated() { try client.dispatch([Actions.add("of \(index)")], key: "key \(index)") }
        for client in clients {
            _ = try client.call("org.todod.Store.GetState", ["minimumSequence": 3, "scope": "counter"])
            let log = try client.log()
            #expect(log.compactMap { $0["node"]?.text } == ["node0", "node1", "node2"])
            #expect(try client.dispatch([Actions.add("of 0")], key: "key 0").isDuplicate)
        }
        #expect(Set(try team.heads().map { $0["head"]?.text }).count == 1)
    }

    @Test func `a daemon that was away catches up, even if its directory was lost`() throws {
        let team = try Team(members: 1, daemons: 2)
        let (one, two) = (team.daemons[0], team.daemons[1])
        try one.connect().dispatch([Actions.add("one")])
        try two.kill()
        try one.connect().dispatch([Actions.add("two")])
        try two.start()
        #expect(try two.connect().sequence() == 2)
        try two.stop()
        try two.leave()
        try FileManager.default.removeItem(atPath: two.data)
        try two.start()
        #expect(try two.connect().sequence() == 2)
        try two.connect().dispatch([Actions.add("three")])
        #expect(Set(try team.heads().map { $0["head"]?.text }).count == 1)
    }

    @Test func `no snapshot of a daemon that was away contains text that was redacted since`() throws {
        let team = try Team(members: 1, daemons: 2)
        let (one, two) = (team.daemons[0], team.daemons[1])
        func snapshots() throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: two.data).filter { $0.hasPrefix("snapshot") }
        }
        try one.connect().dispatch([Actions.add("a secret")])
        _ = try two.connect().call("org.todod.Store.GetState", ["minimumSequence": 1, "scope": "counter"])
        try two.stop()
        #expect(try !snapshots().isEmpty)
        #expect(try one.todoctl("redact", "1", "--yes").end == .exit(0))
        try two.start()
        #expect(try two.connect().sequence() > 0)
        #expect(try snapshots().isEmpty)
    }

    @Test func `without the cluster a daemon starts, serves reads, and refuses writes`() throws {
        let team = try Team(members: 1, daemons: 1)
        try team.daemons[0].connect().dispatch([Actions.add("one")])
        try team.daemons[0].stop()
        team.cluster.kill(0)
        try team.daemons[0].start()
        let client = try team.daemons[0].connect()
        #expect(try client.sequence() == 1)
        #expect(try client.refusal([Actions.add("two")]) == "Unavailable")
        try team.cluster.start(0)
        try team.cluster.waitForLeader()
        _ = try Team.dispatch([Actions.add("two")], key: "b", at: [team.daemons[0].socket], beginningWith: 0)
        #expect(try client.sequence() == 2)
    }

    @Test func `a copy of a shared log can be opened alone only after it was detached`() throws {
        let team = try Team(members: 1, daemons: 1)
        let daemon = team.daemons[0]
        try daemon.connect().dispatch([Actions.add("one")])
        try daemon.stop()
        daemon.environment["TODOD_CLUSTER"] = ""
        #expect(try daemon.startRefused().map { $0 == .exit(78) } ?? false)
        #expect(daemon.output.contains("The log in \(daemon.data) is a copy") && daemon.output.contains("--detach"))
        let detached = try Command.run(
            [Products.todod, "--detach", "--data", daemon.data], environment: ["HOME": daemon.directory.path])
        #expect(detached.end == .exit(0), "\(detached)")
        #expect(
            detached.text.contains("The members were not notified, and keep what this machine lacked for 7 days"), "\(detached)")
        try daemon.start()
        #expect(try daemon.connect().dispatch([Actions.add("two")]).sequences == [3])
    }

    @Test func `commands run on one machine, and on another one if that dies`() throws {
        let titles = TemporaryDirectory()
        let path = try titles.write("from the file\n", to: "titles")
        let team = try Team(members: 1, daemons: 2, environment: ["TODOD_TODO_SOURCE": path])
        func load(_ index: Int, key: String, expecting count: Int) throws -> Duration {
            let start = ContinuousClock.now
            let client = try team.daemons[index].connect()
            try client.dispatch([["todos": ["load": [:]]]], key: key)
            while try client.log().filter({ $0["kind"]?.text == "end" }).count < count {
                guard start.duration(to: .now) < .seconds(40) else { throw Unexpected("no end of the command") }
                usleep(50_000)
            }
            return start.duration(to: .now)
        }
        _ = try load(1, key: "one", expecting: 1)
        // Either machine may run them.
        for (index, other) in [(0, 1), (1, 0)] {
            try team.daemons[index].kill()
            let took = try load(other, key: "without \(index)", expecting: index + 2)
            #expect(took < .seconds(14))
            try team.daemons[index].start()
        }
        #expect(try team.daemons[0].connect().log().filter { $0["kind"]?.text == "end" }.count == 3)
    }
}
