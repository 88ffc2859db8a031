import Chronicle
import ChronicleTesting
import LinkFeatures
import Testing

/// Answers every request, or none.
private struct Web: CommandTarget {
    var isDown = false

    func perform(_ command: LinkApp.Command, _ ticket: CommandTicket) async throws(CommandFailure) -> LinkApp.Action? {
        guard case .links(.check(let id, _)) = command else { return nil }
        if isDown { throw CommandFailure("no answer") }
        return .links(.checked(id, status: 200))
    }
}

/// Hours of checks, in virtual time.
@Suite(.timeLimit(.minutes(5))) struct RoundTests {
    private let link = LinkApp.Action.links(.add(Link(url: "https://www.swift.org")))

    @Test func `a day has one check an hour`() async throws {
        try await withSimulation(LinkApp.State(), of: LinkApp.self, on: Web()) { simulation in
            try await simulation.dispatch([.settings(.setInterval(seconds: 3_600)), link])
            #expect(simulation.state.links.items[1]?.status == 200)
            let checks = try await simulation.advance(by: .seconds(86_400))
            #expect(checks.count == 24)
        }
    }

    @Test func `an address without an answer is tried three times, and then again in the next round`() async throws {
        try await withSimulation(LinkApp.State(), of: LinkApp.self, on: Web(isDown: true)) { simulation in
            try await simulation.dispatch([.settings(.setInterval(seconds: 3_600)), link])
            try await simulation.advance(by: .seconds(600))
            #expect(simulation.attempts.count == 3)
            #expect(simulation.state.links.items[1]?.status == 0)
            try await simulation.advance(by: .seconds(3_600))
            #expect(simulation.attempts.count == 6)
        }
    }

    @Test func `an interval of 0 and the removal of a link end its checks`() async throws {
        try await withSimulation(LinkApp.State(), of: LinkApp.self, on: Web()) { simulation in
            try await simulation.dispatch([link])
            #expect(try await simulation.advance(by: .seconds(3_600)).isEmpty)
            try await simulation.dispatch([.settings(.setInterval(seconds: 60))])
            #expect(try await simulation.advance(by: .seconds(600)).count == 10)
            try await simulation.dispatch([.links(.remove(1))])
            try await simulation.advance(by: .seconds(3_600))
            #expect(simulation.attempts.count == 12 && simulation.store.status.commands.open == 0)
        }
    }
}
