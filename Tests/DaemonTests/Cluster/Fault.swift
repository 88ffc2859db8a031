import Glibc
import TestSupport

/// The faults of a site, one at a time.
enum Fault: String, CaseIterable, Sendable {
    case killLeader, killFollower, freezeLeader, freezeFollower
    case killDaemon, freezeDaemon, killRunner, freezeRunner
    /// The host is unreachable in both directions.
    case isolateLeader, isolateFollower, isolateDaemon
    /// The daemons reach the leader, and the other members don't.
    case splitLeader
    /// The requests of a daemon arrive, but the answers are lost.
    case deafenDaemon
    case fillMembers, wipeMember, turnClock, allOff

    /// Causes the fault, repairs it after a while, and returns a description.
    func strike(_ site: Site, _ generator: inout SeededGenerator) throws -> String {
        let (members, network) = (site.members, site.network)
        let leader = try members.waitForLeader()
        let follower = (leader + Int.random(in: 1..<Site.size, using: &generator)) % Site.size
        let daemon = Int.random(in: 0..<Site.size, using: &generator)
        let time = Int.random(in: 1_000...3_500, using: &generator)
        func wait(_ milliseconds: Int) { usleep(UInt32(milliseconds) * 1_000) }
        var victim = daemon
        switch self {
        case .killLeader, .killFollower:
            victim = self == .killLeader ? leader : follower
            members.kill(victim)
            wait(time)
            try members.start(victim)
        case .freezeLeader, .freezeFollower:
            victim = self == .freezeLeader ? leader : follower
            members.signal(victim, SIGSTOP)
            wait(time)
            members.signal(victim, SIGCONT)
        case .killDaemon, .killRunner:
            if self == .killRunner { victim = try site.runner() ?? daemon }
            try site.daemons[victim].kill()
            wait(time / 4)
            try site.start(victim)
        case .freezeDaemon, .freezeRunner:
            if self == .freezeRunner { victim = try site.runner() ?? daemon }
            site.daemons[victim].signal(SIGSTOP)
            if self == .freezeDaemon { wait(time) } else { try waitForRunner(other: victim, site) }
            site.daemons[victim].signal(SIGCONT)
        case .isolateLeader, .isolateFollower, .isolateDaemon:
            victim = self == .isolateLeader ? leader : self == .isolateFollower ? follower : daemon
            try network.isolate(self == .isolateDaemon ? Site.host(daemon) : victim)
            wait(time * 2)
            try network.heal()
        case .splitLeader:
            victim = leader
            for other in 0..<Site.size where other != leader {
                try network.cut(from: leader, to: other)
                try network.cut(from: other, to: leader)
            }
            wait(time * 2)
            try network.heal()
        case .deafenDaemon:
            for member in 0..<Site.size { try network.cut(from: member, to: Site.host(daemon)) }
            wait(time * 2)
            try network.heal()
        case .fillMembers:
            try members.fill()
            wait(time)
            try members.makeRoom()
        case .wipeMember:
            victim = Bool.random(using: &generator) ? leader : follower
            try members.wipe(victim)
        case .turnClock:
            try FakeClock.turn(site.daemons[daemon], by: Bool.random(using: &generator) ? 3_600 : -3_600)
            wait(time * 2)
            // Some faults remain for a while.
            if Bool.random(using: &generator) { try FakeClock.turn(site.daemons[daemon], by: 0) }
        case .allOff:
            for member in 0..<Site.size { members.kill(member) }
            for daemon in site.daemons { try daemon.kill() }
            for member in 0..<Site.size { try members.start(member) }
            for daemon in site.daemons.indices { try site.start(daemon) }
        }
        try members.waitForLeader()
        return "\(rawValue) \(victim) \(time)"
    }

    /// Waits until another daemon holds the lease of one that does not know it.
    private func waitForRunner(other than: Int, _ site: Site) throws {
        for _ in 0..<300 {
            if let runner = try site.runner(), runner != than { return }
            usleep(50_000)
        }
        throw Unexpected("no daemon replaces daemon \(than), which is suspended")
    }
}
