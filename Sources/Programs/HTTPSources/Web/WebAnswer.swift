import Chronicle
import Curl

/// A response whose body is read block by block as it arrives.
struct WebAnswer {
    /// Minimum size of all blocks but the last, which limits the cost of a body in small pieces.
    static let blockBytesMin = 32 << 10

    let status: Int
    let address: WebAddress
    private let response: HTTPResponse
    private let request: WebRequest
    private let client: WebClient

    init(
        _ response: HTTPResponse, to request: WebRequest, from address: WebAddress, by client: WebClient
    ) throws(CommandFailure) {
        status = response.head.status
        self.response = response
        self.address = address
        self.request = request
        self.client = client
        // No encoding was accepted, and a small compressed body could expand to any size.
        if let coding = header("content-encoding"), coding.lowercased() != "identity" {
            throw CommandFailure(
                "\(address.host) sent an answer packed as \(coding.shown), which was not asked for.", isPermanent: true)
        }
        if let length = header("content-length").flatMap({ Int($0) }), length > bodyBytesMax { throw tooLarge }
    }

    /// The first header with this name; `nil` if it contains control characters, because it could break the header that
    /// sends it back.
    func header(_ name: String) -> String? {
        response.head.header(name).flatMap { $0.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } ? $0 : nil }
    }

    var zone: NetworkZone { NetworkZone(of: response.head.address) }

    func block() async throws(CommandFailure) -> [UInt8]? {
        var block: [UInt8] = []
        while block.count < Self.blockBytesMin {
            do throws(HTTPError) {
                guard let piece = try await response.piece() else { break }
                block += piece
            } catch {
                throw error.reason == .bodyTooLarge
                    ? tooLarge : CommandFailure(error, of: request, to: address, within: client.timeMax, hasBegun: true)
            }
        }
        return block.isEmpty ? nil : block
    }

    func bytes() async throws(CommandFailure) -> [UInt8] {
        var bytes: [UInt8] = []
        while let block = try await block() { bytes += block }
        return bytes
    }

    private var bodyBytesMax: Int { min(client.bodyBytesMax, request.bodyBytesMax) }

    private var tooLarge: CommandFailure {
        let setting = client.bodyBytesMax <= request.bodyBytesMax ? client.bodyBytesSetting : nil
        let advice = setting.map { " To read more, raise \($0)." } ?? ""
        return CommandFailure(
            "\(address.host) sent more than \(bodyBytesMax) bytes.\(advice)", isPermanent: true)
    }
}

extension String {
    /// At most 40 bytes of a foreign value, printable ASCII only, for messages.
    var shown: String {
        String(decoding: utf8.prefix(40).map { (0x20..<0x7F).contains($0) ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
    }
}
