import ChronicleLog
import ChronicleValues
import Etcd
import EtcdTesting
import Foundation
import TestSupport
import Testing

@testable import ChronicleStore
@testable import ReplicatedLog

/// Tests of the ownership of machine names.
@Suite(.serialized, .enabled(if: EtcdCluster.isInstalled, "\(EtcdCluster.missing)"), .timeLimit(.minutes(15)))
struct NameTests {
    @Test func `two machines can't have the same name`() async throws {
        let machines = try Machines()
        let one = try machines.machine("one")
        try await one.count()
        let error = #expect(throws: ActionLogError.self) { try log("one", InMemoryActionLog(), of: machines) }
        guard case .contradiction(let what) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(what.contains("one") && what.contains("rename one of them"))
        #expect(what.contains("etcdctl del /todod/\(machines.name)/node/one"))
        let copyID = try one.log.ownPlace().copyID
        #expect(try await one.log.survey().nodes.map(\.copyID) == [copyID])
    }

    @Test func `a restarted machine keeps its name, and a machine that leaves releases it`() async throws {
        let machines = try Machines()
        do {
            let one = try machines.machine("one")
            try await one.count()
            await one.store.stop()
        }
        let place: ReplicaPlace
        do {
            let one = try machines.machine("one")
            try await one.count()
            place = try one.log.ownPlace()
            await one.store.stop()
        }
        // A machine that leaves asks each member.
        var leaving = options(of: "one", machines)
        leaving.etcd.endpoints.insert("127.0.0.1:1", at: 0)
        try await ReplicatedActionLog.forget(place, leaving)
        let other = try log("one", InMemoryActionLog(), of: machines)
        let copyID = try other.ownPlace().copyID
        #expect(try await other.survey().nodes.map(\.copyID) == [copyID])
    }

    @Test func `another copy can take the name of a machine that has been silent for long`() async throws {
        let machines = try Machines()
        let one = try machines.machine("one")
        let client = try EtcdClient(machines.cluster.options())
        var said = try #require(try await one.log.survey().nodes.first)
        said.time -= 121_000_000
        try await client.answer(to: EtcdCall<Void>.put(one.log.keys.node("one"), said.canonicalBytes))
        let other = try log("one", InMemoryActionLog(), of: machines)
        let copyID = try other.ownPlace().copyID
        #expect(try await other.survey().nodes.map(\.copyID) == [copyID])
        // The name stays with the second machine even if the first one leaves.
        await #expect(throws: ActionLogError.self) {
            try await ReplicatedActionLog.forget(one.log.ownPlace(), options(of: "one", machines))
        }
        #expect(try await other.survey().nodes.map(\.copyID) == [copyID])
        // The first machine notices it and writes nothing more, because no batches are kept for it.
        try await one.log.report()
        guard case .unavailable(let what) = await one.error() else {
            Issue.record("the machine continued")
            return
        }
        #expect(what.contains("rename one of them"))
    }

    @Test func `a copied directory of a machine becomes another copy`() async throws {
        let machines = try Machines()
        let copyID: UInt64
        do {
            let one = try machines.machine("one")
            try await one.count()
            copyID = try one.log.ownPlace().copyID
            await one.store.stop()
        }
        let directory = machines.directory.path
        try FileManager.default.copyItem(atPath: "\(directory)/one", toPath: "\(directory)/two")
        let (one, two) = (try machines.machine("one"), try machines.machine("two"))
        #expect(try one.log.ownPlace().copyID == copyID && two.log.ownPlace().copyID != copyID)
        #expect(try await two.count() == 2)
        #expect(try await Set(one.log.survey().nodes.map(\.copyID)).count == 2)
    }

    private func log(_ node: String, _ copy: any ReplicableLog, of machines: Machines) throws -> ReplicatedActionLog {
        try ReplicatedActionLog.open(copy, options(of: node, machines))
    }

    private func options(of node: String, _ machines: Machines) -> SharedLogOptions {
        SharedLogOptions(name: machines.name, node: node, etcd: machines.cluster.options())
    }
}
