import ChronicleLog
import Etcd
import EtcdTesting
import FeatureCounter
import Synchronization
import Testing

@testable import ChronicleStore
@testable import ReplicatedLog

/// A member of another cluster among those that a machine asks: it answers properly that nothing is there.
@Suite(.serialized, .enabled(if: EtcdCluster.isInstalled, "\(EtcdCluster.missing)"), .timeLimit(.minutes(5)))
struct ForeignMemberTests {
    @Test(arguments: [true, false])
    func `what became of an append is not for a member of another cluster to say`(isKnown: Bool) async throws {
        let machines = try Machines(on: try EtcdCluster())
        let foreign = try EtcdCluster()
        let member = machines.cluster.endpoints[0]
        let losses = Losses()
        let fake = losses.member(before: member, answering: .init(500, #"{"error":"lost"}"#))
        let copy = InMemoryActionLog()
        try await Machine("one", of: machines.name, copy: copy, on: machines.cluster).store.stop()
        // To which of two clusters it belongs is not known before an answer has its log.
        let one = try Machine(
            "one", of: machines.name, copy: copy, on: machines.cluster,
            etcd: EtcdOptions(
                endpoints: [fake.endpoint, foreign.endpoints[0]], requestTimeMax: .seconds(10), connectTimeMax: .seconds(5)))
        if isKnown { try await one.count() }
        losses.loseNext()
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
                endpoints: [foreign.endpoints[0]] + machines.cluster.endpoints + machines.cluster.endpoints,
                requestTimeMax: .seconds(10), connectTimeMax: .seconds(5)))
        #expect(one.log.beginning == .joined)
        try await one.store.catchUp()
        #expect(one.store.present.state.count == 1)
        #expect(try await one.count() == 2)
        #expect(try await one.log.survey().batches == 2)
        let stranger = try EtcdClient(foreign.options())
        #expect(try await stranger.answer(to: .range(EtcdRange(allWith: []))).isEmpty)
    }

    @Test func `nothing is founded or joined where no cluster has most of the members`() async throws {
        let machines = try Machines(on: try EtcdCluster())
        let foreign = try EtcdCluster()
        let options = EtcdOptions(
            endpoints: foreign.endpoints + machines.cluster.endpoints, requestTimeMax: .seconds(10), connectTimeMax: .seconds(5))
        let error = #expect(throws: ActionLogError.self) {
            _ = try Machine("one", of: machines.name, copy: InMemoryActionLog(), on: machines.cluster, etcd: options)
        }
        #expect("\(String(describing: error))".contains("the members belong to several clusters"))
        for cluster in [machines.cluster, foreign] {
            #expect(try await EtcdClient(cluster.options()).answer(to: .range(EtcdRange(allWith: []))).isEmpty)
        }
    }

    /// It may have passed the append on before.
    @Test(arguments: [400, 403, 404, 429])
    func `what became of an append is not for a page of somebody else to say`(status: Int) async throws {
        let machines = try Machines()
        let losses = Losses()
        let member = losses.member(
            before: machines.cluster.endpoints[0], answering: .init(status, "<html>Please ask somebody else</html>"))
        let one = try Machine(
            "one", of: machines.name, copy: InMemoryActionLog(), on: machines.cluster,
            etcd: EtcdOptions(endpoints: [member.endpoint], requestTimeMax: .seconds(10), connectTimeMax: .seconds(5)))
        losses.loseNext()
        #expect(try await one.count() == 1)
        #expect(one.log.standing.isInDoubt == false && one.store.present.state.count == 1)
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

/// What a member has done, and somebody before it does not tell.
private final class Losses: Sendable {
    private let isNext = Mutex(false)

    /// Has the answer of the next append lost.
    func loseNext() { isNext.withLock { $0 = true } }

    /// Stands before a member, and answers something else in place of what is lost.
    func member(before real: String, answering other: FakeMember.Answer) -> FakeMember {
        FakeMember { [self] path, request in
            let answer = FakeMember.answer(of: real, to: path, request)
            guard path == "kv/txn", request.contains("request_put") else { return answer }
            return isNext.withLock { isNext in
                defer { isNext = false }
                return isNext ? other : answer
            }
        }
    }
}
