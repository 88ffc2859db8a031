import Etcd
import EtcdTesting
import FeatureCounter
import Records
import Synchronization
import Testing

@testable import ReplicatedLog
@testable import StoreRuntime

/// A member of another cluster among those that a machine asks: it answers properly that nothing is there.
@Suite(.serialized, .enabled(if: EtcdCluster.isInstalled, "\(EtcdCluster.missing)"), .timeLimit(.minutes(5)))
struct ForeignMemberTests {
    @Test(arguments: [true, false])
    func `what became of an append is not for a member of another cluster to say`(isKnown: Bool) async throws {
        let machines = try Machines(on: try EtcdCluster())
        let foreign = try EtcdCluster()
        let member = machines.cluster.endpoints[0]
        let losesNext = Mutex(false)
        // What is done there, and not told.
        let fake = FakeMember { path, request in
            let answer = FakeMember.answer(of: member, to: path, request)
            guard path == "kv/txn", request.contains("request_put") else { return answer }
            return losesNext.withLock { losesNext in
                defer { losesNext = false }
                return losesNext ? .init(500, #"{"error":"lost"}"#) : answer
            }
        }
        let one = try Machine(
            "one", of: machines.name, copy: InMemoryActionLog(), on: machines.cluster,
            etcd: EtcdOptions(
                endpoints: [fake.endpoint, foreign.endpoints[0]], requestTimeMax: .seconds(10), connectTimeMax: .seconds(5)))
        if isKnown { try await one.count() }
        losesNext.withLock { $0 = true }
        let last = try await one.count()
        #expect(last == (isKnown ? 2 : 1) && one.log.standing.isInDoubt == false)
        let two = try machines.machine("two")
        try await two.store.catchUp()
        #expect(two.store.present.state.count == Int64(last) && two.log.head == one.log.head)
    }

    @Test func `a machine goes on although the member that it asks first is of another cluster`() async throws {
        let machines = try Machines(on: try EtcdCluster())
        let foreign = try EtcdCluster()
        let two = try machines.machine("two")
        try await two.count()
        let one = try Machine(
            "one", of: machines.name, copy: InMemoryActionLog(), on: machines.cluster,
            etcd: EtcdOptions(
                endpoints: [machines.cluster.endpoints[0], foreign.endpoints[0]], requestTimeMax: .seconds(10),
                connectTimeMax: .seconds(5)))
        one.log.client.passOver()
        try await one.store.catchUp()
        #expect(one.store.present.state.count == 1)
        one.log.client.passOver()
        #expect(try await one.count() == 2)
        let survey = await one.log.survey()
        #expect(survey.members.map(\.alarms) == [[], [SharedLogSurvey.Member.foreign]] && survey.refusal == nil)
    }

    @Test func `members that are all of another cluster are believed`() async throws {
        func member(of cluster: Int) -> FakeMember {
            FakeMember { _, _ in .init(200, #"{"header":{"cluster_id":"\#(cluster)"}}"#) }
        }
        let (old, new) = (member(of: 1), member(of: 2))
        let client = try EtcdClient(
            EtcdOptions(endpoints: [old.endpoint, new.endpoint], requestTimeMax: .seconds(10), connectTimeMax: .seconds(5)))
        client.trust("2")
        let stranger = EtcdError.foreign("http://\(old.endpoint) is a member of another cluster")
        await #expect(throws: stranger) { try await client.answer(to: EtcdCall<Void>.put([1], [1])) }
        try await client.answer(to: EtcdCall<Void>.put([1], [1]))
        client.trust("3")
        for _ in 0..<2 {
            await #expect(throws: EtcdError.self) { try await client.answer(to: EtcdCall<Void>.put([1], [1])) }
        }
        for _ in 0..<2 { try await client.answer(to: EtcdCall<Void>.put([1], [1])) }
    }
}
