import EtcdTesting
import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing
import TodoClient
import Varlink

/// Daemons and members that die and freeze while clients dispatch: nothing that was acknowledged is lost or done twice.
@Suite(.ownThreads, .enabled(if: EtcdCluster.isInstalled, "\(EtcdCluster.missing)"), .timeLimit(.minutes(20)))
struct FaultTests {
    /// How many runs; `make test-cluster` makes more.
    static let runs = ProcessInfo.processInfo.environment["CLUSTER_RUNS"].flatMap { Int($0) } ?? 3
    static let clients = 6
    static let faults = 6

    @Test(arguments: 0..<runs) func `whatever dies, each dispatch is in the log once, in an order that its clients saw`(
        run: Int
    ) throws {
        let team = try Team(members: 3, daemons: 3)
        let sockets = team.daemons.map(\.socket)
        let over = Over()
        let writers = (0..<Self.clients).map { index in
            Background<[SeenDispatch]> {
                var keys = Keys(seed: UInt64(run * 1_000 + index))
                var seen: [SeenDispatch] = []
                while !over.isOver {
                    let asked = ContinuousClock.now
                    let answer = try Team.dispatch(
                        [Actions.add("\(index)/\(seen.count)")], key: keys.next(), at: sockets, beginningWith: index + seen.count)
                    guard answer.sequences.count == 1 else { throw Unexpected("\(answer)") }
                    seen.append(SeenDispatch(asked: asked, answered: .now, sequence: answer.sequences[0]))
                }
                return seen
            }
        }
        var generator = SeededGenerator(UInt64(run) &+ 7)
        for _ in 0..<Self.faults {
            try strike(team, Int(generator.next() % 5), Int(generator.next() % 3))
        }
        over.end()
        let seen: [SeenDispatch] = try writers.map { try $0.value(seconds: 120) }.reduce([], +)
        #expect(seen.count > Self.faults)

        let heads = try team.heads()
        #expect(Set(heads.map { $0["head"]?.text }).count == 1, "\(heads)")
        let log = try team.daemons[0].connect().log()
        #expect(log.map { $0["sequence"]?.int ?? 0 } == Array(1...Int64(log.count)))
        // Each key once, and none that was not answered: all clients waited for their answers.
        let keys = log.compactMap { $0["key"]?.text }
        #expect(keys.count == seen.count && Set(keys).count == keys.count)
        #expect(Set(seen.map { $0.sequence }).count == seen.count)
        let isLinear = seen.contradiction == nil
        #expect(isLinear, "\(String(describing: seen.contradiction))")
        let times = log.map { $0["time"]?.int ?? 0 }
        #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
    }

    /// Does some harm, and mends it after a while.
    private func strike(_ team: Team, _ kind: Int, _ index: Int) throws {
        usleep(700_000)
        switch kind {
        case 0:
            let leader = (try? team.cluster.leader()) ?? index
            team.cluster.kill(leader)
            usleep(1_000_000)
            try team.cluster.start(leader)
        case 1:
            let leader = (try? team.cluster.leader()) ?? index
            team.cluster.freeze(leader)
            usleep(1_500_000)
            team.cluster.resume(leader)
        case 2:
            try team.daemons[index].kill()
            usleep(300_000)
            try team.daemons[index].start()
        case 3:
            team.daemons[index].signal(SIGSTOP)
            usleep(1_500_000)
            team.daemons[index].signal(SIGCONT)
        default:
            for member in 0..<3 { team.cluster.kill(member) }
            usleep(500_000)
            for member in 0..<3 { try team.cluster.start(member) }
        }
        try team.cluster.waitForLeader()
    }
}

/// Says to several threads that it is enough.
private final class Over: Sendable {
    private let flag = Atomic<Bool>(false)
    var isOver: Bool { flag.load(ordering: .relaxed) }
    func end() { flag.store(true, ordering: .relaxed) }
}
