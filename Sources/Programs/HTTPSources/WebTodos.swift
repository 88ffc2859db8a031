public import Chronicle
public import DataSources

/// Loads todos from an address: one title per line, or a JSON array of titles.
public struct WebTodos: TodoSource {
    private let client: WebClient
    private let address: WebAddress
    private let setting: String

    /// The address is fetched at each load; failures name `setting`.
    public init(_ client: WebClient, _ address: WebAddress, setting: String) {
        self.client = client
        self.address = address
        self.setting = setting
    }

    public func titles(_ ticket: CommandTicket) async throws(CommandFailure) -> [String] {
        var request = WebRequest(address, setting: setting)
        request.headers = [("accept", "application/json, text/plain;q=0.9, */*;q=0.5")]
        request.bodyBytesMax = TitleList.bytesMax
        return try await client.call(request) { (answer) async throws(CommandFailure) -> [String] in
            guard answer.status == 200 else { throw CommandFailure(answer, setting: setting) }
            return try TitleList.titles(in: try await answer.bytes(), from: address.host)
        }
    }
}
