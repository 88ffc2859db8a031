import Chronicle
import DataSources
import Testing

@testable import HTTPSources

@Suite(.timeLimit(.minutes(15))) struct `Todos of an address` {
    @Test(arguments: ["Buy the milk\nTake my dog\n", "[\"Buy the milk\", {\"title\": \"Take my dog\"}]"])
    func `the todos are the lines or the elements of the array`(body: String) async throws {
        try await LoopbackServer.run { _ in
            .answer(200, body: body)
        } _: { server in
            let client = WebClient()
            let source = WebTodos(client, try server.web("/todos"), setting: "TODOD_TODO_SOURCE")
            #expect(try await source.titles(ticket) == ["Buy the milk", "Take my dog"])
        }
    }

    @Test func `an invalid array and an answer of 100 MiB are refused`() async throws {
        let chunk = String(repeating: "Buy the milk\n", count: 5000)
        try await LoopbackServer.run { request in
            request.target == "/broken" ? .answer(200, body: "[\"Buy the milk\",") : .chunks(chunk, count: 1600)
        } _: { server in
            let client = WebClient()
            let broken = WebTodos(client, try server.web("/broken"), setting: "TODOD_TODO_SOURCE")
            let error = try await failure { try await broken.titles(ticket) }
            let reason = "The todos of \(server.host) can't be read: the text ends too early (byte 16)."
            #expect(error == CommandFailure(reason, isPermanent: true))
            let large = WebTodos(client, try server.web("/large"), setting: "TODOD_TODO_SOURCE")
            let other = try await failure { try await large.titles(ticket) }
            #expect(other.reason == "\(server.host) sent more than \(TitleList.bytesMax) bytes.")
        }
    }
}
