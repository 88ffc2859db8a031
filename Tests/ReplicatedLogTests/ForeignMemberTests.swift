import ChronicleLog
import Etcd
import EtcdTesting
import FeatureCounter
import Synchronization
import Testing

@testable import ChronicleStore
@testable import ReplicatedLog

/// A member of another cluster among the endpoints of a machine.
///
/// It answers correctly that nothing is there.
@Suite(.serialized, .enabled(if: EtcdCluster.isInstalled, "\(EtcdCluster.missing)"), .timeLimit(.minutes(15)))
struct ForeignMemberTests {
    @Test(arguments: [true, false])
    func `a member of another cluster can't decide the outcome of an append in doubt`(isKnown: Bool) async throws {
        let machines = try Machines(on: try EtcdCluster())
        let foreign = try EtcdCluster()
        let member = machines.cluster.endpoints[0]
        let losses = Losses()
        let fake = losses.member(before: member, answering: .init(500, #"{"error":"lost"}"#))
        let copy = InMemoryActionLog()
        try await Machine("one", of: machines.name, copy: copy, on: machines.cluster).store.stop()
        // The cluster of a member is unknown until one of its answers contains the log.
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

    @Test func `a machine continues if the first endpoint is a member of another cluster`() async throws {
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

    @Test func `a log is neither founded nor joined if no cluster has most of the members`() async throws {
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

    /// The proxy may have forwarded the append before.
    @Test(arguments: [400, 403, 404, 429])
    func `an error page of a proxy can't decide the outcome of an append in doubt`(status: Int) async throws {
        let machines = try Machines()
        let losses = Losses()
        let member = losses.member(
            before: machines.cluster.endpoints[0], answering: .init(status, "<html>Please ask someone else</html>"))
        let one = try Machine(
            "one", of: machines.name, copy: InMemoryActionLog(), on: machines.cluster,
            etcd: EtcdOptions(endpoints: [member.endpoint], requestTimeMax: .seconds(10), connectTimeMax: .seconds(5)))
        losses.loseNext()
        #expect(try await one.count() == 1)
        #expect(one.log.standing.isInDoubt == false && one.store.present.state.count == 1)
    }

    @Test func `a client refuses the answers of another cluster, even if all members belong to it`() async throws {
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
        for _ in 0..<4 {
            await #expect(throws: EtcdError.self) { try await client.answer(to: EtcdCall<Void>.put([1], [1])) }
        }
    }
}

/// The proxies whose next answer is lost.
private final class Losses: Sendable {
    private let isNext = Mutex(false)

    /// Loses the answer of the next append.
    func loseNext() { isNext.withLock { $0 = true } }

    /// A proxy for a member that replaces the lost answer.
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
