import Chronicle
import Testing

@testable import HTTPSources

let ticket = CommandTicket(id: "store-1-0", attempt: 1)

/// The error of a failing command.
///
/// Fails the test if the command succeeds.
func failure<Value>(
    sourceLocation: SourceLocation = #_sourceLocation, of body: () async throws -> Value
) async throws -> CommandFailure {
    do {
        let value = try await body()
        Issue.record("It succeeded: \(value)", sourceLocation: sourceLocation)
    } catch {
        return try #require(error as? CommandFailure, "\(error)", sourceLocation: sourceLocation)
    }
    return CommandFailure("")
}

extension LoopbackServer {
    func web(_ path: String = "/") throws -> WebAddress { try #require(WebAddress(address(path))) }

    /// The host and port of the server.
    var host: String { String(address("").dropFirst("http://".count)) }
}

extension WebClient {
    /// The body of an answer as text.
    func text(_ address: WebAddress, configured: WebAddress? = nil) async throws(CommandFailure) -> String {
        var request = WebRequest(address, setting: "TODOD_X")
        request.configured = configured ?? address
        return try await call(request) { (answer) async throws(CommandFailure) -> String in
            guard answer.status == 200 else { throw CommandFailure(answer, setting: "TODOD_X") }
            return String(decoding: try await answer.bytes(), as: UTF8.self)
        }
    }
}
