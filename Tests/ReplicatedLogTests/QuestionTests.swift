import ChronicleLog
import ChronicleValues
import Etcd
import EtcdTesting
import Synchronization
import Testing

@testable import ChronicleStore
@testable import ReplicatedLog

/// Tests of queries about the cluster.
@Suite(.serialized, .enabled(if: EtcdCluster.isInstalled, "\(EtcdCluster.missing)"), .timeLimit(.minutes(15)))
struct QuestionTests {
    @Test func `appends do not wait for queries about the cluster`() async throws {
        let machines = try Machines(on: try EtcdCluster())
        let one = try machines.machine("one")
        try await one.count()
        let (begun, continuation) = AsyncStream<Void>.makeStream()
        await withTaskGroup(of: Void.self) { group in
            // The maximum number of concurrent queries.
            for _ in 0..<8 {
                group.addTask {
                    var isBegun = false
                    // A member that has just started may be slow and is asked again.
                    while !isBegun, !Task.isCancelled {
                        try? await one.log.client.watch([1]) {
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

    @Test func `a machine that all members refuse gets the reason`() async throws {
        let isKnown = Mutex(true)
        let member = FakeMember { path, _ in
            switch path {
            case "auth/authenticate":
                isKnown.withLock { isKnown in
                    defer { isKnown = false }
                    return isKnown
                        ? .init(200, #"{"header":{},"token":"old.1"}"#)
                        : .init(400, #"{"error":"etcdserver: authentication failed, invalid user ID or password","code":3}"#)
                }
            case "kv/txn": .init(401, #"{"error":"etcdserver: invalid auth token","code":16}"#)
            default: .init(200, FakeMember.nothing)
            }
        }
        let options = EtcdOptions(
            endpoints: [member.endpoint], user: EtcdOptions.User(name: "todod", password: "of before"),
            requestTimeMax: .seconds(10), connectTimeMax: .seconds(5))
        let log = try ReplicatedActionLog(
            copy: InMemoryActionLog(), SharedLogOptions(name: "log", node: "one", etcd: options), isAction: { _ in true })
        let error = await #expect(throws: EtcdError.self) { try await log.survey() }
        #expect(error.map(log.words)?.contains("the password is wrong") == true, "\(String(describing: error))")
    }
}
