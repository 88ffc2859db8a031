import Etcd
import EtcdTesting
import Records
import Testing

@testable import ReplicatedLog
@testable import StoreRuntime

/// What people ask about the cluster.
@Suite(.serialized, .enabled(if: EtcdCluster.isInstalled, "\(EtcdCluster.missing)"), .timeLimit(.minutes(5)))
struct QuestionTests {
    @Test func `appends do not wait behind what people ask`() async throws {
        let machines = try Machines(on: try EtcdCluster())
        let one = try machines.machine("one")
        try await one.count()
        let (begun, continuation) = AsyncStream<Void>.makeStream()
        await withTaskGroup(of: Void.self) { group in
            // All connections that questions may take.
            for _ in 0..<8 {
                group.addTask {
                    var isBegun = false
                    // A member that is slow to begin is asked again.
                    while !isBegun, !Task.isCancelled {
                        try? await one.log.questionClient.watch([1]) {
                            if $0 == .begun {
                                isBegun = true
                                continuation.yield()
                            }
                            return false
                        }
                    }
                }
            }
            var iterator = begun.makeAsyncIterator()
            for _ in 0..<8 { _ = await iterator.next() }
            #expect((try? await one.count()) == 2)
            group.cancelAll()
        }
    }

    @Test func `each member is asked whether it obeys strangers`() async throws {
        let careful = FakeMember { path, request in
            guard path == "kv/range" else { return .init(500, "{}") }
            return request.contains("Authorization") ? .init(200, "{}") : .init(401, "{}")
        }
        let open = FakeMember { path, _ in .init(path == "kv/range" ? 200 : 500, "{}") }
        let options = EtcdOptions(
            endpoints: [careful.endpoint, open.endpoint], user: EtcdOptions.User(name: "todod", password: "a password"),
            requestTimeMax: .seconds(10), connectTimeMax: .seconds(5))
        let log = try ReplicatedActionLog(
            copy: InMemoryActionLog(), SharedLogOptions(name: "log", node: "one", etcd: options), isAction: { _ in true })
        let survey = await log.survey()
        #expect(survey.members.map(\.obeysStrangers) == [false, true] && survey.obeysStrangers == true)
    }
}
