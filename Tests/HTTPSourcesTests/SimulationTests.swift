import Chronicle
import ChronicleTesting
import DataSources
import FeatureApp
import FeatureTodos
import Testing

@testable import HTTPSources

@Suite(.timeLimit(.minutes(15))) struct `The sources of the web in virtual time` {
    @Test func `a server that asks for an hour is called again after an hour`() async throws {
        let calls = Signal(0)
        try await LoopbackServer.run { _ in
            calls.change { $0 += 1 }
            return calls.value == 1 ? .answer(503, headers: [("retry-after", "3600")]) : .answer(200, body: "Milk\nBread\n")
        } _: { server in
            let client = WebClient()
            var sources = Sources()
            sources.todos = WebTodos(client, try server.web("/todos"), setting: "TODOD_TODO_SOURCE")
            try await withSimulation(App.State(), of: App.self, on: AppTarget(sources)) { simulation in
                try await simulation.dispatch([.todos(.load)])
                #expect(calls.value == 1 && simulation.state.todos.loading)
                try await simulation.advance(by: .seconds(3_599))
                #expect(calls.value == 1)
                try await simulation.advance(by: .seconds(1))
                #expect(simulation.attempts.map(\.elapsed) == [.zero, .seconds(3_600)])
                #expect(simulation.state.todos.items.elements.map(\.title) == ["Milk", "Bread"])
            }
        }
    }
}
